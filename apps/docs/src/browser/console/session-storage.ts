/** The texts of the fields, by name. */
export type RememberedTexts = Record<string, string>;

/** Passwords are not stored, because browsers can write the history to the disk. */
const SECRET = /password/;

/** Stores the texts of the form with this entry of the history, for a reader who returns to it. */
export function remember(texts: RememberedTexts): void {
  const fields = Object.fromEntries(Object.entries(texts).filter(([name]) => !SECRET.test(name)));
  history.replaceState({ ...history.state, console: fields }, '');
}

/** The texts of the form when the reader left this page, if a form was open. */
export const remembered = (): RememberedTexts | undefined =>
  (history.state as { console?: RememberedTexts } | null)?.console;
