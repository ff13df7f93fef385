import type { Schema } from '../../core/contract.ts';

type PermissionSetting = Schema<'PermissionSetting'>;

function setting(
  name: string,
  rules: Partial<PermissionSetting> & Pick<PermissionSetting, 'default_group_name'>,
): PermissionSetting {
  return {
    require_system_group: false,
    allow_internet_group: false,
    allow_owners_group: false,
    allow_nobody_group: true,
    allow_everyone_group: true,
    default_for_system_groups: null,
    id_field_name: `${name}_id`,
    allowed_system_groups: [],
    ...rules,
  };
}

/** The groups that each group setting can name (docs/behaviour/user-groups.md#groups-in-settings). */
export const permissionSettings = Object.freeze({
  realm: {
    create_multiuse_invite_group: setting('create_multiuse_invite_group', {
      require_system_group: true,
      allow_everyone_group: false,
      default_group_name: 'role:administrators',
    }),
    can_access_all_users_group: setting('can_access_all_users_group', {
      require_system_group: true,
      allow_nobody_group: false,
      default_group_name: 'role:everyone',
      allowed_system_groups: ['role:everyone', 'role:members'],
    }),
  },
  stream: {
    can_remove_subscribers_group: setting('can_remove_subscribers_group', {
      require_system_group: true,
      default_group_name: 'role:administrators',
    }),
  },
  group: {
    can_mention_group: setting('can_mention_group', {
      default_group_name: 'role:everyone',
      default_for_system_groups: 'role:nobody',
    }),
  },
}) satisfies Schema<'PermissionSettings'>;
