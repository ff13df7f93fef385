/** What stood in the fields, by name. */
export type RememberedTexts = Record<string, string>;

/** Passwords are not for the history of a browser, which may write it to a disk. */
const SECRET = /password/;

/** Keeps with this entry of the history what stands in the form, for a reader who comes back to it. */
export function remember(texts: RememberedTexts): void {
  const fields = Object.fromEntries(Object.entries(texts).filter(([name]) => !SECRET.test(name)));
  history.replaceState({ ...history.state, console: fields }, '');
}

/** What stood in the form when the reader left this page, if a form was open. */
export const remembered = (): RememberedTexts | undefined =>
  (history.state as { console?: RememberedTexts } | null)?.console;
