import { codePoints, fullNameProblem } from '../../text/names.ts';

/** What is wrong with a subdomain, if anything is. The empty one is the root organization. */
export function subdomainProblem(subdomain: string): string | undefined {
  if (subdomain === '') return undefined;
  if (subdomain.length > 40) return 'A subdomain can have at most 40 characters.';
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(subdomain)) {
    return 'A subdomain consists of lower-case letters, digits and hyphens, and begins and ends with a letter or digit.';
  }
  return undefined;
}

/** What is wrong with an organization's name, if anything is (behaviour 2.1). */
export function realmNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'The name of an organization cannot be empty.';
  return codePoints(name.trim()) > 40 ? 'The name of an organization can have at most 40 characters.' : undefined;
}

// One @, something on both sides, no white space or control characters; the confirmation letter proves the rest.
const EMAIL = /^[^\s@\p{Cc}:,;<>"()[\]\\]{1,64}@[^\s@\p{Cc}:,;<>"()[\]\\]{1,255}$/u;

export function emailProblem(email: string): string | undefined {
  return EMAIL.test(email) ? undefined : `email: ${JSON.stringify(email)} is not an email address.`;
}

export function nameProblem(name: string): string | undefined {
  const problem = fullNameProblem(name);
  return problem === undefined ? undefined : `full_name: ${problem}`;
}
