import type { App } from '../app.ts';
import type { Realm } from '../core/context.ts';
import { transact } from '../core/transaction.ts';
import {
  findStreamByToken,
  type IncomingEmail,
  parseAddress,
  postIncomingEmail,
} from '../features/incoming-mail/index.ts';
import { findRealmBySubdomain, parseSubdomain, presentRealm } from '../features/realm/index.ts';
import { EXIT } from './commands/deliver-mail.ts';
import { operatorCaller } from './run-in-realm.ts';
import type { CommandHandler, CommandResult } from './types.ts';

interface Input {
  readonly address: string;
  /** Null: the input is not an email, or is too large. */
  readonly email: IncomingEmail | null;
}

const deliverMail: CommandHandler<Input> = async ({ app }, { address, email }) => {
  if (!email) return ended(EXIT.unreadable, 'The input is not an email, or it is larger than 25 MiB.');
  const destination = await findDestination(app, address);
  if (!destination) return ended(EXIT.no_such_address, 'No stream has this address.');
  const posted = await transact(app, { ...operatorCaller, realm: destination.realm, client: 'ParleyMail' }, (ctx) =>
    postIncomingEmail(ctx, destination.stream_id, email),
  );
  return posted
    ? ended(EXIT.taken, 'The server posted the email.')
    : ended(EXIT.no_such_address, 'No stream has this address.');
};

const ended = (code: number, line: string): CommandResult => ({ json: { code }, lines: [line], code });

async function findDestination(app: App, address: string): Promise<{ realm: Realm; stream_id: number } | undefined> {
  const parts = parseAddress(address);
  const subdomain = parts && parseSubdomain(parts.host, app.serverAddress.base_domain);
  const row = subdomain === undefined ? undefined : await findRealmBySubdomain(app.database.db, subdomain);
  if (!parts || !row) return undefined;
  const realm = presentRealm(app.serverAddress, row);
  const stream = await findStreamByToken(app.database.db, app.secrets, realm, parts.token);
  if (realm.deactivated || !stream) return undefined;
  if (stream.secret === 'previous') app.secretGuard.recordPrevious();
  return { realm, stream_id: stream.id };
}

export const deliverMailWorks = { 'deliver-mail': deliverMail };
