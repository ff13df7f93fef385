/**
 * Characters of the longest statement that stays prepared. Our own are shorter; a longer one has a list of a request in it, and
 * requests must not decide how much memory the database keeps.
 */
export const LONGEST = 16_000;
