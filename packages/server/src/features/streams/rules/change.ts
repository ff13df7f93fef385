// The effect of a request on an existing stream.
import type { Realm, User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import type { RequestProblem } from '../../../core/errors.ts';
import { descriptionProblem, normalizeDescription, streamNameProblem } from './names.ts';
import { kindProblem, retentionDays } from './settings.ts';

export type StreamUpdateParams = Omit<Params<'updateStream'>, 'stream_id'>;

/** The editable properties of a stream. */
export interface StreamProperties {
  readonly name: string;
  readonly description: string;
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly history_public_to_subscribers: boolean;
  readonly is_default: boolean;
  readonly stream_post_policy: number;
  /** Null: the organization's setting applies. -1: messages are kept forever. */
  readonly message_retention_days: number | null;
  readonly can_remove_subscribers_group: number;
}

const metadata: readonly string[] = ['new_name', 'description'];

/**
 * Whether a request changes only what administrators can change of a private stream that they are not subscribed to.
 */
export function isMetadata(params: StreamUpdateParams): boolean {
  return Object.entries(params).every(([name, value]) => value === undefined || metadata.includes(name));
}

/** The settings after a request: absent parameters change nothing. */
export function applySettings(before: StreamProperties, params: StreamUpdateParams): StreamProperties {
  const { new_name, description, message_retention_days: days } = params;
  return {
    name: new_name?.trim() ?? before.name,
    description: description === undefined ? before.description : normalizeDescription(description),
    ...privacyAfter(before, params),
    is_default: params.is_default_stream ?? before.is_default,
    stream_post_policy: policyAfter(before, params),
    message_retention_days: days === undefined ? before.message_retention_days : retentionDays(days),
    can_remove_subscribers_group: params.can_remove_subscribers_group ?? before.can_remove_subscribers_group,
  };
}

function privacyAfter(
  before: StreamProperties,
  { is_private, is_web_public, history_public_to_subscribers: shared }: StreamUpdateParams,
) {
  // A stream has one kind of privacy, so becoming private ends being web-public and vice versa.
  const invite_only = is_private ?? (before.invite_only && is_web_public !== true);
  const sharedBefore = before.invite_only && before.history_public_to_subscribers;
  return {
    invite_only,
    is_web_public: is_web_public ?? (before.is_web_public && is_private !== true),
    history_public_to_subscribers: !invite_only || (shared ?? sharedBefore),
  };
}

function policyAfter(
  { stream_post_policy: before }: StreamProperties,
  { stream_post_policy, is_announcement_only }: StreamUpdateParams,
) {
  if (stream_post_policy !== undefined || is_announcement_only === undefined) return stream_post_policy ?? before;
  if (is_announcement_only) return 2;
  return before === 2 ? 1 : before;
}

export interface StreamChange {
  readonly before: StreamProperties;
  readonly after: StreamProperties;
  readonly params: StreamUpdateParams;
}

/**
 * The reason why the caller cannot make this change, if there is one. Whether the name is free is checked elsewhere.
 */
export function changeProblem(
  { me, realm, now }: { me: Pick<User, 'role' | 'date_joined'>; realm: Realm; now: Date },
  { before, after, params }: StreamChange,
): RequestProblem | undefined {
  if (params.new_name !== undefined) {
    if (after.name === before.name) return { reason: 'conflict', text: 'new_name: The stream has this name already.' };
    const problem = streamNameProblem(after.name);
    if (problem !== undefined) return { reason: 'invalid', text: `new_name: ${problem}` };
  }
  const problem = descriptionProblem(after);
  if (problem !== undefined) return { reason: 'invalid', text: `description: ${problem}` };
  const isWebPublicAnew = after.is_web_public && (after.invite_only || !before.is_web_public);
  const kind = isWebPublicAnew ? kindProblem(me, realm, after, now) : undefined;
  if (kind !== undefined) return { ...kind, text: `is_web_public: ${kind.text}` };
  if (!after.is_default || !after.invite_only) return undefined;
  const parameter = params.is_default_stream ? 'is_default_stream' : 'is_private';
  return { reason: 'invalid', text: `${parameter}: A private stream cannot be a default stream.` };
}

/** Those of the settings that differ from the present ones. */
export function listChangedProperties(before: StreamProperties, after: StreamProperties): Partial<StreamProperties> {
  const names = Object.keys(after) as (keyof StreamProperties)[];
  return Object.fromEntries(names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]));
}
