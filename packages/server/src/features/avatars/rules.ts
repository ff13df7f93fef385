/** Whether somebody may change their avatar: administrators always, everybody unless the organization keeps them from it. */
export function canChangeAvatar(
  { is_administrator }: { is_administrator: boolean },
  { avatar_changes_disabled }: { avatar_changes_disabled: boolean },
): boolean {
  return is_administrator || !avatar_changes_disabled;
}
