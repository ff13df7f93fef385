/** Whether a text is the origin of a web page as browsers send it: `https://app.example.com`, with a port that is not the scheme's. */
export const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
