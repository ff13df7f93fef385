import type { Realm, User } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { limits } from '../../core/limits.ts';
import { badCharacter, codePoints } from '../../text/names.ts';
import { isAdministrator, isOwner, mayUnderPolicy, type Standing } from '../realm/index.ts';
import { streamKey } from '../streams/index.ts';

type Items = Params<'subscribe'>['subscriptions'];
type Creation = Pick<
  Params<'subscribe'>,
  'invite_only' | 'is_web_public' | 'is_default_stream' | 'message_retention_days' | 'history_public_to_subscribers'
>;
type Creator = Pick<User, 'role' | 'date_joined'>;

/** A stream as somebody asked for it. */
export interface Wanted {
  readonly name: string;
  readonly description: string;
  readonly color: string | undefined;
}

/** What was asked for, with names trimmed and each stream once: the first mention of it counts. */
export function distinctStreams(items: Items): Wanted[] {
  const byKey = new Map<string, Wanted>();
  for (const item of items) {
    const name = item.name.trim();
    const description = (item.description ?? '').replaceAll(/\r\n|\r|\n/g, ' ').trim();
    if (!byKey.has(streamKey(name))) byKey.set(streamKey(name), { name, description, color: item.color });
  }
  return [...byKey.values()];
}

/** What is wrong with a stream's name, if anything is. Judges the name as trimmed. */
export function streamNameProblem(name: string): string | undefined {
  if (name === '') return 'A stream name cannot be empty.';
  if (codePoints(name) > limits.max_stream_name_length) {
    return `The stream name "${name}" is too long: at most ${limits.max_stream_name_length} characters.`;
  }
  const bad = badCharacter(name);
  return bad && `The stream name "${name}" has an invalid character at position ${bad.position}.`;
}

export function descriptionProblem({ name, description }: Wanted): string | undefined {
  if (codePoints(description) <= limits.max_stream_description_length) return undefined;
  return `The description of "${name}" is too long: at most ${limits.max_stream_description_length} characters.`;
}

/** Whether these principals are nobody but the one who asks. An email address counts as naming somebody else. */
export function namesOnly(me: Pick<User, 'id'>, principals: readonly (number | string)[] | undefined): boolean {
  return principals === undefined || principals.every((principal) => principal === me.id);
}

/** Why someone may not create streams of the kind they describe, if they may not (behaviour 4.1). */
export function creationProblem(me: Creator, realm: Realm, wanted: Creation, now: Date): string | undefined {
  const standing = { waiting_period_threshold: realm.settings.waiting_period_threshold, now };
  if (wanted.is_default_stream && !isAdministrator(me)) return 'Only administrators can create default streams.';
  if (wanted.is_default_stream && wanted.invite_only) return 'A private stream cannot be a default stream.';
  return (
    (wanted.is_web_public ? webPublicProblem(realm, wanted) : undefined) ?? policyProblem(me, realm, wanted, standing)
  );
}

function webPublicProblem(realm: Realm, { invite_only }: Creation): string | undefined {
  if (invite_only) return 'A web-public stream cannot be private.';
  if (!realm.web_public_streams_enabled) return 'Web-public streams are not enabled on this server.';
  return realm.settings.enable_spectator_access
    ? undefined
    : 'Web-public streams are not enabled in this organization.';
}

function policyProblem(me: Creator, { settings }: Realm, wanted: Creation, standing: Standing): string | undefined {
  const [kind, policy] = wanted.is_web_public
    ? ['web-public', settings.create_web_public_stream_policy]
    : wanted.invite_only
      ? ['private', settings.create_private_stream_policy]
      : ['public', settings.create_public_stream_policy];
  return mayUnderPolicy(Number(policy), me, standing) ? undefined : `You have no permission to create ${kind} streams.`;
}

/** Keeping messages longer or shorter than the organization does is for owners to decide. */
export function maySetRetention(me: Pick<User, 'role'>, days: Creation['message_retention_days']): boolean {
  return days === undefined || days === 'realm_default' || isOwner(me);
}

/** How a stream stores its retention: null as the organization says, -1 for ever. */
export function retentionDays(days: Creation['message_retention_days']): number | null {
  if (days === undefined || days === 'realm_default') return null;
  return typeof days === 'number' ? days : -1;
}

/** Only private streams can keep their history from those who come later. */
export function sharesHistory({ invite_only, history_public_to_subscribers }: Creation): boolean {
  return !invite_only || (history_public_to_subscribers ?? false);
}

interface Removal {
  readonly me: Pick<User, 'id' | 'role'>;
  readonly person: Pick<User, 'id' | 'bot_owner_id'>;
  /** Whether `me` can access the stream. */
  readonly sees: boolean;
  /** Whether `me` is in the stream's can_remove_subscribers_group. */
  readonly in_remover_group: boolean;
}

/** Who may take a person out of a stream (specification 4.2). */
export function mayUnsubscribe({ me, person, sees, in_remover_group }: Removal): boolean {
  if (person.id === me.id || isAdministrator(me)) return true;
  return sees && (person.bot_owner_id === me.id || in_remover_group);
}
