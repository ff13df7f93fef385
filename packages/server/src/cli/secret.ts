import { acceptSecret } from '../secrets/index.ts';
import type { CommandHandler } from './types.ts';

const accept: CommandHandler<object> = async ({ app }) => {
  await acceptSecret(app.database.db, app.secrets.current, app.clock());
  return {
    json: { accepted: true },
    lines: [
      'The database accepts only the configured secret: API keys, tokens and email addresses derived from another one are invalid.',
    ],
  };
};

export const secretWorks = { 'secret accept': accept };
