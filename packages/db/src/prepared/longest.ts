/**
 * The maximum characters of a statement that stays prepared. The server's own statements are shorter; a longer one
 * contains a list from a request, and requests must not determine how much memory the database uses.
 */
export const LONGEST = 32_000;
