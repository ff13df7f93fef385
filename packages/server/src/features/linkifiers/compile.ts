import { LRUCache } from 'lru-cache';
import type { Linkifier } from '../../text/markdown.ts';
import { compilePattern } from '../../text/patterns.ts';
import { parseUrlTemplate } from '../../text/url-template.ts';
import type { LinkifierValues } from './rules.ts';

/** The number of instructions of an ordinary pattern. */
const ORDINARY = 20;
/**
 * Maximum characters of the patterns that are cached in compiled form; the largest ones take some kilobytes per
 * character.
 */
const CACHE_SIZE = 20_000;

/** Compiling takes longer than searching, and the same pattern always gives the same. */
const compiled = new LRUCache<string, { readonly linkifier: Linkifier | undefined }>({
  maxSize: CACHE_SIZE,
  sizeCalculation: (_, key) => key.length,
});

/**
 * A compiled linkifier; undefined for a pattern that a later release of the engine rejects, so that messages are
 * rendered without it.
 */
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
