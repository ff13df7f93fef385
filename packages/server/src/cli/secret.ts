import { acceptSecret } from '../secrets/index.ts';
import type { CommandHandler } from './types.ts';

const accept: CommandHandler<object> = async ({ app }) => {
  await acceptSecret(app.database.db, app.secrets.current, app.clock());
  return {
    json: { accepted: true },
    lines: ['The database knows the secret that is set now, and no other: what was made with another one is invalid.'],
  };
};

export const secretWorks = { 'secret accept': accept };
