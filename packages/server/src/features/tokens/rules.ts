import { isAdministrator, isOwner } from '../../access/roles.ts';
import type { AccessToken } from '../../core/access-token.ts';
import type { User } from '../../core/context.ts';
import { bounds } from '../../core/limits.ts';
import { codePoints, findBadCharacter } from '../../text/names.ts';

type RankedUser = Pick<User, 'id' | 'role'>;

/**
 * Whether a user can list and revoke the tokens of an account. Only owners can do so for owners, as with their bots.
 */
export function canManageTokens(actor: RankedUser, account: RankedUser & Pick<User, 'bot_owner_id'>): boolean {
  if (account.id === actor.id || account.bot_owner_id === actor.id) return true;
  return isAdministrator(actor) && (isOwner(actor) || !isOwner(account));
}

/** The problem of a token's name, if there is one. The name must be trimmed. */
export function tokenNameProblem(name: string): string | undefined {
  const length = codePoints(name);
  if (length === 0 || length > bounds.token_name) return `name: it must have 1 to ${bounds.token_name} characters.`;
  const bad = findBadCharacter(name);
  return bad && `name: it cannot contain the invisible or invalid character at position ${bad.position}.`;
}

/** The limits of an operation in the document: `x-scope` and `x-token-limit`. */
export interface OperationAccess {
  readonly scope: AccessToken['scopes'][number] | 'key' | null;
  readonly token_limit: string | null;
}

/** Why a token cannot be used for a request: it lacks the scope, or it has the scope and is limited. */
export interface TokenProblem {
  readonly text: string;
  readonly limited_to?: 'stream' | 'event_types';
}

const limitedToStream = (text: string): TokenProblem => ({ text, limited_to: 'stream' });
const limitedToTypes = (text: string): TokenProblem => ({ text, limited_to: 'event_types' });

/** The reason why a token cannot be used for an operation, whatever its parameters; undefined if it can. */
export function operationProblem(
  token: AccessToken,
  { scope, token_limit }: OperationAccess,
): TokenProblem | undefined {
  if (scope === 'key') return { text: 'This operation needs the API key of the account: no token can be used for it.' };
  if (scope !== null && !token.scopes.includes(scope))
    return { text: `This operation needs a token with the scope "${scope}".` };
  if (token.stream_id !== null && token_limit === null)
    return limitedToStream('This token is limited to a stream: it cannot be used for this operation.');
  if (token.event_types !== null && scope === 'read' && token_limit !== 'queue')
    return limitedToTypes(
      'This token is limited to types of events: of what reads, it can be used for event queues only.',
    );
  return undefined;
}

type SentParameters = Readonly<Record<string, unknown>>;

/** The reason why a token that is limited to a stream cannot be used with these parameters; undefined if it can. */
export function streamProblem(
  { stream_id }: AccessToken,
  { token_limit }: OperationAccess,
  params: SentParameters,
): TokenProblem | undefined {
  if (stream_id === null || token_limit === null || token_limit === 'queue') return undefined;
  const limited = `this token is limited to the stream ${stream_id}`;
  switch (token_limit) {
    case 'to':
      // Names are rejected: a name could become that of another stream before the message is sent.
      if (params.type === 'stream' && params.to === stream_id) return undefined;
      return limitedToStream(`to: ${limited}; send to it by its id, with the type "stream".`);
    case 'narrow':
      if (isArray(params.narrow) && params.narrow.some((term) => isStreamTerm(term, stream_id))) return undefined;
      return limitedToStream(`narrow: ${limited}; it must have the term ["stream", ${stream_id}].`);
    default:
      return params[token_limit] === stream_id ? undefined : limitedToStream(`${token_limit}: ${limited}.`);
  }
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Whether a term of a narrow selects nothing but messages of this stream. */
function isStreamTerm(term: unknown, stream_id: number): boolean {
  if (isArray(term)) return term[0] === 'stream' && term[1] === stream_id;
  const { operator, operand, negated } = term as { operator: unknown; operand: unknown; negated?: boolean };
  return operator === 'stream' && operand === stream_id && negated !== true;
}

interface QueueTypes {
  readonly event_types?: readonly string[] | undefined;
  readonly fetch_event_types?: readonly string[] | undefined;
}

/** The events and the state of a queue that a token registers, or the reason why it cannot register one. */
export function limitQueueTypes(token: AccessToken, sent: QueueTypes): QueueTypes | { readonly problem: TokenProblem } {
  const allowed = listAllowedTypes(token);
  if (allowed === null) return sent;
  const { event_types = allowed, fetch_event_types } = sent;
  const requested = [...event_types, ...(fetch_event_types ?? [])];
  const other = requested.find((type) => !allowed.includes(type));
  if (other !== undefined) {
    const text = `event_types: this token is not for ${JSON.stringify(other)}.`;
    const isOfToken = token.event_types?.includes(other) ?? true;
    return { problem: isOfToken ? limitedToStream(text) : limitedToTypes(text) };
  }
  if (token.stream_id === null) return { event_types, fetch_event_types };
  if (fetch_event_types?.length)
    return { problem: limitedToStream('fetch_event_types: it must be empty for this token.') };
  return { event_types, fetch_event_types: [] };
}

/** The event types that a token can read; null: all. Events of other types are not about one stream. */
function listAllowedTypes({ stream_id, event_types }: AccessToken): readonly string[] | null {
  if (stream_id === null) return event_types;
  return event_types === null || event_types.includes('message') ? ['message'] : [];
}
