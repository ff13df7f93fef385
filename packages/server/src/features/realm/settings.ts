import type { RealmSettings } from '../../core/context.ts';

/**
 * What a new organization starts with (docs/behaviour/realm.md#settings). Names and groups are given at its creation.
 */
export const defaultSettings: RealmSettings = Object.freeze({
  name: '',
  description: '',
  allow_message_editing: true,
  allow_edit_history: true,
  message_content_edit_limit_seconds: 600,
  message_content_delete_limit_seconds: 600,
  move_messages_within_stream_limit_seconds: 604_800,
  move_messages_between_streams_limit_seconds: 604_800,
  edit_topic_policy: 5,
  move_messages_between_streams_policy: 2,
  delete_own_message_policy: 2,
  create_public_stream_policy: 1,
  create_private_stream_policy: 1,
  invite_to_stream_policy: 1,
  user_group_edit_policy: 1,
  add_custom_emoji_policy: 1,
  create_web_public_stream_policy: 7,
  invite_to_realm_policy: 1,
  wildcard_mention_policy: 5,
  waiting_period_threshold: 0,
  message_retention_days: -1,
  allowed_origins: [],
  mandatory_topics: false,
  enable_spectator_access: false,
  enable_read_receipts: false,
  name_changes_disabled: false,
  email_changes_disabled: false,
  avatar_changes_disabled: false,
  enable_guest_user_indicator: true,
  private_message_policy: 1,
  bot_creation_policy: 1,
  invite_required: true,
  disallow_disposable_email_addresses: true,
  emails_restricted_to_domains: false,
  authentication_methods: {
    Dev: false,
    Email: true,
    LDAP: false,
    RemoteUser: false,
    GitHub: false,
    AzureAD: false,
    GitLab: false,
    Apple: false,
    Google: false,
    SAML: false,
    'OpenID Connect': false,
  },
  default_language: 'en',
  digest_weekday: 1,
  default_code_block_language: '',
  notifications_stream_id: -1,
  signup_notifications_stream_id: -1,
  create_multiuse_invite_group: -1,
  can_access_all_users_group: -1,
});

/** All settings, from those that differ from the defaults. */
export function toRealmSettings(overrides: Readonly<Record<string, unknown>>): RealmSettings {
  return { ...defaultSettings, ...(overrides as Partial<RealmSettings>) };
}
