import { findIdentity, raiseEpoch } from '@parley/db';
import type { CommandHandler } from './types.ts';

const raiseEpochAfterRestore: CommandHandler<object> = async ({ app }) => {
  const { db } = app.database;
  await raiseEpoch(db, (on) => findIdentity(app.database, on), 'parley restored');
  await app.epochWatch.check();
  return {
    json: { restored: true },
    lines: ['All clients have to register their event queues again, and new ids skip ten million.'],
  };
};

export const restoredWorks = { restored: raiseEpochAfterRestore };
