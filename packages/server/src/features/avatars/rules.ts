/** Whether a user may change their avatar: administrators always, other users unless the organization disabled it. */
export function canChangeAvatar(
  { is_administrator }: { is_administrator: boolean },
  { avatar_changes_disabled }: { avatar_changes_disabled: boolean },
): boolean {
  return is_administrator || !avatar_changes_disabled;
}
