// Which streams a user can create, and their history and retention.
import { isAdministrator, isOwner } from '../../../access/roles.ts';
import type { Realm, User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import type { RequestProblem } from '../../../core/errors.ts';
import { canUnderPolicy, type PolicyFacts } from '../../realm/index.ts';

type Creation = Pick<
  Params<'subscribe'>,
  'invite_only' | 'is_web_public' | 'is_default_stream' | 'message_retention_days' | 'history_public_to_subscribers'
>;
type Kind = Pick<Creation, 'invite_only' | 'is_web_public'>;
type Creator = Pick<User, 'role' | 'date_joined'>;

/**
 * The reason why a user cannot create streams of the requested kind, if there is one
 * (docs/behaviour/streams.md#who-can-create-a-stream).
 */
export function creationProblem(me: Creator, realm: Realm, requested: Creation, now: Date): RequestProblem | undefined {
  if (requested.is_default_stream && !isAdministrator(me)) {
    return { reason: 'forbidden', text: 'Only administrators can create default streams.' };
  }
  if (requested.is_default_stream && requested.invite_only) {
    return { reason: 'invalid', text: 'A private stream cannot be a default stream.' };
  }
  return kindProblem(me, realm, requested, now);
}

/** The reason why the caller cannot create a stream of this kind, if there is one. */
export function kindProblem(me: Creator, realm: Realm, requested: Kind, now: Date): RequestProblem | undefined {
  const facts = { waiting_period_threshold: realm.settings.waiting_period_threshold, now };
  return (
    (requested.is_web_public ? webPublicProblem(realm, requested) : undefined) ??
    policyProblem(me, realm, requested, facts)
  );
}

function webPublicProblem(realm: Realm, { invite_only }: Kind): RequestProblem | undefined {
  if (invite_only) return { reason: 'invalid', text: 'A web-public stream cannot be private.' };
  if (!realm.web_public_streams_enabled) {
    return { reason: 'forbidden', text: 'Web-public streams are not enabled on this server.' };
  }
  return realm.settings.enable_spectator_access
    ? undefined
    : { reason: 'forbidden', text: 'Web-public streams are not enabled in this organization.' };
}

function policyProblem(
  me: Creator,
  { settings }: Realm,
  requested: Kind,
  facts: PolicyFacts,
): RequestProblem | undefined {
  const [kind, policy] = requested.is_web_public
    ? ['web-public', settings.create_web_public_stream_policy]
    : requested.invite_only
      ? ['private', settings.create_private_stream_policy]
      : ['public', settings.create_public_stream_policy];
  if (canUnderPolicy(Number(policy), me, facts)) return undefined;
  return { reason: 'forbidden', text: `You have no permission to create ${kind} streams.` };
}

/** Only owners can set a retention period that differs from the organization's. */
export function canSetRetention(me: Pick<User, 'role'>, days: Creation['message_retention_days']): boolean {
  return days === undefined || days === 'realm_default' || isOwner(me);
}

/** The stored form of a stream's retention: null for the organization's setting, -1 for forever. */
export function retentionDays(days: Creation['message_retention_days']): number | null {
  if (days === undefined || days === 'realm_default') return null;
  return typeof days === 'number' ? days : -1;
}

/** Only private streams can have protected history (docs/behaviour/streams.md#history-of-a-stream). */
export function hasSharedHistory({ invite_only, history_public_to_subscribers }: Creation): boolean {
  return !invite_only || (history_public_to_subscribers ?? false);
}
