import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { BASE } from '../model/urls.ts';
import { findMarkdownProblems, findPageProblems } from './page-problems.ts';
import { readPages } from './read-pages.ts';
import { withoutInlineStyles } from './without-inline-styles.ts';

/** Fails the build when a page would not work under the server's content security policy, or has a dead link. */
export function checkOutput(): AstroIntegration {
  return {
    name: 'parley-check-output',
    hooks: {
      'astro:build:done': ({ dir, logger }) => {
        const root = fileURLToPath(dir);
        for (const page of htmlFiles(root)) rewrite(join(root, page));
        const pages = readPages(root, '.html');
        const isFile = (path: string) => existsSync(join(root, path.slice(BASE.length)));
        const problems = [...findPageProblems(pages, isFile), ...findMarkdownProblems(readPages(root, '.md'), isFile)];
        if (problems.length > 0) throw new Error(`The pages have problems:\n${problems.join('\n')}`);
        logger.info(`${pages.size} pages: nothing inline, nothing from elsewhere, no dead link.`);
      },
    },
  };
}

function rewrite(file: string): void {
  writeFileSync(file, withoutInlineStyles(readFileSync(file, 'utf8')));
}

function htmlFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
}
