/** A guide as it is written: Markdown, with components where the page makes something. */
export interface Guide {
  title: string;
  description: string;
  body: string;
  url: string;
}

/** Changes a text, but for the code in it. */
export const outsideFences = (text: string, change: (part: string) => string): string =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
