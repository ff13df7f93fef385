/** The style attributes that Starlight writes. `styles/inline.css` says the same for each, by attribute. */
const KNOWN = new Set([
  '--sl-icon-size: 1.25rem;',
  '--sl-icon-size: 1em;',
  '--sl-icon-size: 1.5rem;',
  '--sl-icon-size: 1rem;',
  '--depth: 0;',
  '--depth: 1;',
]);

/** The server's policy forbids styles within pages, so the known ones become attributes that a style sheet looks for. */
export function withoutInlineStyles(html: string): string {
  return html.replace(/(<[a-z][^>]*?) style="([^"]*)"/g, (whole, before: string, style: string) =>
    KNOWN.has(style) ? `${before} data-style="${style}"` : whole,
  );
}
