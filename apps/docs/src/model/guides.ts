/** The source of a guide: Markdown with components. */
export interface Guide {
  title: string;
  description: string;
  body: string;
  url: string;
}

/** Changes a text except for its code blocks. */
export const outsideFences = (text: string, change: (part: string) => string): string =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
