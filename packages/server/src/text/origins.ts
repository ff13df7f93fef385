/** A DNS name has at most 253 characters. */
const LONGEST = 255;

/**
 * Whether a text is an origin as browsers send it: `https://app.example.com`, with a port only if it is not the
 * default.
 */
export const isOrigin = (text: string): boolean =>
  text.length <= LONGEST && /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
