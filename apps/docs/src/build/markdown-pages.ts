// Markdown pages are made from the built HTML, so that each page has one source. The development server has none of them:
// it renders a page when a browser requests it, and Astro has a hook for finished pages only at the end of a build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { BASE, markdownUrl } from '../model/urls.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { readPages } from './read-pages.ts';

/** Writes the Markdown page of each page beside it. */
export function writeMarkdownPages(): AstroIntegration {
  return {
    name: 'parley-markdown-pages',
    hooks: {
      'astro:build:done': ({ dir, logger }) => {
        const root = fileURLToPath(dir);
        const started = performance.now();
        const pages = readPages(root, '.html');
        for (const [url, html] of pages)
          writeFileSync(join(root, markdownUrl(url).slice(BASE.length)), htmlToMarkdown(html));
        logger.info(`${pages.size} pages as Markdown in ${Math.round(performance.now() - started)} ms.`);
      },
    },
  };
}
