// One @, something on both sides, no white space, control characters or brackets.
const EMAIL = /^[^\s@\p{Cc}:,;<>"()[\]\\]{1,64}@[^\s@\p{Cc}:,;<>"()[\]\\]{1,255}$/u;

/** Whether a user name can be an email address at all. */
export const isEmail = (username: string): boolean => EMAIL.test(username);

export interface LoginMethods {
  readonly [method: string]: boolean;
}

/** Whether people log in with the names of a directory, which need not be email addresses. */
export const hasDirectory = (methods: LoginMethods): boolean => methods.LDAP === true;

/** Whether people log in with email and password. */
export const hasPasswords = (methods: LoginMethods): boolean => methods.Email === true;
