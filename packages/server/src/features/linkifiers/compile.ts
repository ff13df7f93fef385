import { LRUCache } from 'lru-cache';
import type { Linkifier } from '../../text/markdown.ts';
import { compilePattern } from '../../text/patterns.ts';
import { parseUrlTemplate } from '../../text/url-template.ts';
import type { LinkifierValues } from './rules.ts';

/** Instructions of an ordinary pattern. */
const ORDINARY = 20;
/** Characters of the patterns that are kept compiled; the dearest ones take some kilobytes for each character. */
const KEPT = 20_000;

/** Compiling takes longer than searching, and the same pattern always gives the same. */
const compiled = new LRUCache<string, { readonly linkifier: Linkifier | undefined }>({
  maxSize: KEPT,
  sizeCalculation: (_, key) => key.length,
});

/** A linkifier ready to use; undefined for one that a later release of the engine refuses, so that messages go on without it. */
export function compileLinkifier(values: LinkifierValues): Linkifier | undefined {
  const key = JSON.stringify([values.pattern, values.url_template]);
  const known = compiled.get(key);
  if (known) return known.linkifier;
  const linkifier = make(values);
  compiled.set(key, { linkifier });
  return linkifier;
}

function make({ pattern, url_template }: LinkifierValues): Linkifier | undefined {
  const expression = compilePattern(pattern);
  const template = parseUrlTemplate(url_template);
  if (typeof expression === 'string' || !template) return undefined;
  return {
    weight: Math.max(1, expression.size / ORDINARY),
    *find(text) {
      for (const { start, end, groups } of expression.find(text)) {
        yield { start, end, url: template.expand((name) => groups[name] ?? undefined) };
      }
    },
  };
}
