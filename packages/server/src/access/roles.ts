/** The roles of users (docs/behaviour/roles.md#roles). Each includes the rights of the roles with greater numbers. */
export const ROLE = Object.freeze({ owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 });

export interface HasRole {
  readonly role: number;
}

export const isOwner = ({ role }: HasRole): boolean => role === ROLE.owner;
export const isAdministrator = ({ role }: HasRole): boolean => role <= ROLE.administrator;
export const isModerator = ({ role }: HasRole): boolean => role <= ROLE.moderator;
export const isMember = ({ role }: HasRole): boolean => role === ROLE.member;
export const isGuest = ({ role }: HasRole): boolean => role === ROLE.guest;
