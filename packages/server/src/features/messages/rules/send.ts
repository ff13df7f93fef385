import type { Params } from '../../../core/contract.ts';
import { limits } from '../../../core/limits.ts';
import { codePoints } from '../../../text/names.ts';
import { streamKey } from '../../streams/index.ts';

export { NO_TOPIC, topicProblem } from '../../topics/index.ts';

/**
 * Content as it is stored: without trailing whitespace and leading newlines (docs/behaviour/messages.md#edit-content).
 */
export const normalizeContent = (content: string): string => content.trimEnd().replace(/^[\r\n]+/, '');

/** The problem of cleaned content, if there is one. */
export function contentProblem(content: string): string | undefined {
  if (content === '') return 'content: a message cannot be blank.';
  if (codePoints(content) <= limits.max_message_length) return undefined;
  return `content: a message has at most ${limits.max_message_length} characters.`;
}

const userClients = new Set(
  [
    'website',
    'ios',
    'android',
    'ParleyAndroid',
    'ParleyiOS',
    'ParleyMobile',
    'ParleyDesktop',
    'ParleyElectron',
    'ParleyTerminal',
  ].map((name) => name.toLowerCase()),
);

/**
 * Whether a client is interactive: messages that its user sends are read by that user
 * (docs/behaviour/requests.md#client-names).
 */
export function isReadFromStart(client: string): boolean {
  const name = client.toLowerCase();
  return userClients.has(name) || name.includes('desktop app');
}

const LONGEST_CLIENT = 100;

/** The name of the sending client: from the parameter, else from the request. */
export const getClientName = (params: { readonly client?: string }, requestClient: string): string =>
  (params.client?.trim() || requestClient).slice(0, LONGEST_CLIENT);

type To = Params<'sendMessage'>['to'];

/** The stream that `to` names: an id or a name. Undefined when it names several or none. */
export function parseStreamTarget(to: To): number | string | undefined {
  const named: readonly (number | string)[] = Array.isArray(to) ? to : [to];
  const [target] = named;
  if (named.length !== 1) return undefined;
  return typeof target === 'string' ? target.trim() : target;
}

/**
 * The stream that a message locks: an id as `#9`, or the key of a name. The same stream can be named in both ways; the lock then orders
 * the messages.
 */
export function getSendLane({ type, to }: Pick<Params<'sendMessage'>, 'type' | 'to'>): string | undefined {
  const target = type === 'stream' ? parseStreamTarget(to) : undefined;
  if (target === undefined) return undefined;
  return typeof target === 'number' ? `#${target}` : `name ${streamKey(target)}`;
}

/** The users that `to` names: ids, or email addresses, also as one string with commas. */
export function parseDirectTargets(to: To): (number | string)[] {
  if (typeof to === 'number') return [to];
  const named: (number | string)[] = typeof to === 'string' ? to.split(',') : to;
  return named.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
}

interface Party {
  readonly id: number;
  readonly bot_type: number | null;
}

/**
 * Whether these users can write to each other where direct messages are disabled: conversations with bots are allowed.
 */
export function isOnlyWithBots(sender: Party, members: readonly Party[]): boolean {
  const others = members.filter(({ id }) => id !== sender.id);
  return sender.bot_type !== null || (others.length > 0 && others.every(({ bot_type }) => bot_type !== null));
}

/** The user's settings and state of the topic just after they took part in it. */
export interface AutomaticPolicyFacts {
  readonly by: 'sending' | 'reacting';
  /** 1 when they participate, 2 when they send, 3 when they start the topic, 4 never. */
  readonly follow: number;
  readonly unmute: number;
  readonly started: boolean;
  readonly stream_muted: boolean;
  /** The policy of the user for the topic so far: 0 none, 1 muted, 2 unmuted, 3 followed. */
  readonly current: number;
}

/**
 * The policy that the user gets: 3 followed, 2 unmuted, otherwise none. It only makes a topic more visible. A topic
 * with a policy of the user was known to them, so sending there does not start it. A reaction counts as participation
 * only.
 */
export function chooseAutomaticPolicy(facts: AutomaticPolicyFacts): 2 | 3 | undefined {
  const { by, follow, unmute, started, stream_muted, current } = facts;
  const bySending = (setting: number) => setting === 2 || (setting === 3 && started && current === 0);
  const applies = (setting: number) => setting === 1 || (by === 'sending' && bySending(setting));
  if (applies(follow)) return current === 3 ? undefined : 3;
  return stream_muted && applies(unmute) && current < 2 ? 2 : undefined;
}
