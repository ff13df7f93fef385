/** The style attributes that Starlight writes. `styles/inline.css` has the same rules, by attribute. */
const KNOWN = new Set([
  '--sl-icon-size: 1.25rem;',
  '--sl-icon-size: 1em;',
  '--sl-icon-size: 1.5rem;',
  '--sl-icon-size: 1rem;',
  '--depth: 0;',
  '--depth: 1;',
]);

/** The content security policy forbids inline styles, so the known ones become attributes that a style sheet selects. */
export function withoutInlineStyles(html: string): string {
  return html.replace(/(<[a-z][^>]*?) style="([^"]*)"/g, (whole, before: string, style: string) =>
    KNOWN.has(style) ? `${before} data-style="${style}"` : whole,
  );
}
