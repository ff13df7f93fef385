/** A name of the domain name system has at most 253 characters. */
const LONGEST = 255;

/** Whether a text is the origin of a web page as browsers send it: `https://app.example.com`, with a port that is not the scheme's. */
export const isOrigin = (text: string): boolean =>
  text.length <= LONGEST && /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
