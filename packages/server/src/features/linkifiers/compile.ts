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
const KEPT = 20_000;

/** Compiling takes longer than searching, so compiled patterns are cached. The most recently used come last. */
const kept = new Map<string, Linkifier | undefined>();
let characters = 0;

/**
 * A compiled linkifier; undefined for a pattern that a later release of the engine rejects, so that messages are
 * rendered without it.
 */
export function compileLinkifier(values: LinkifierValues): Linkifier | undefined {
  const key = JSON.stringify([values.pattern, values.url_template]);
  const linkifier = kept.has(key) ? kept.get(key) : make(values);
  if (!kept.delete(key)) characters += key.length;
  kept.set(key, linkifier);
  for (const oldest of kept.keys()) {
    if (characters <= KEPT) break;
    kept.delete(oldest);
    characters -= oldest.length;
  }
  return linkifier;
}

function make({ pattern, url_template }: LinkifierValues): Linkifier | undefined {
  const compiled = compilePattern(pattern);
  const template = parseUrlTemplate(url_template);
  if (typeof compiled === 'string' || !template) return undefined;
  return {
    weight: Math.max(1, compiled.size / ORDINARY),
    *find(text) {
      for (const { start, end, groups } of compiled.find(text)) {
        yield { start, end, url: template.expand((name) => groups[name] ?? undefined) };
      }
    },
  };
}
