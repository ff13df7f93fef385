/** The release, as packages/server/package.json has it; a test compares the two. */
export const VERSION = '0.1.0';
