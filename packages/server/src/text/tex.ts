import { createRequire } from 'node:module';
import { loadOnFirstUse } from '../core/lazy.ts';
import { runWithin, type TimeBudget } from './time-limit.ts';

/** UTF-16 units. KaTeX's time for a formula grows with its length. */
const LONGEST_FORMULA = 3000;
/**
 * A macro repeats its text at each use, so a formula that defines macros costs the product of its length and its uses.
 */
const WITH_DEFINITIONS = { longest: 500, expansions: 100 };
const DEFINITION = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let)(?![a-zA-Z])/;
const EXPANSIONS = 1000;
/** Nesting depth of elements. Programs that render HTML have a maximum depth. */
const DEEPEST_HTML = 250;

const require = createRequire(import.meta.url);
const katex = loadOnFirstUse(() => {
  const library = require('katex') as typeof import('katex').default;
  // The first formula takes ten times as long as the others; that must not happen while a message is rendered.
  library.renderToString('x');
  return library;
});

/** HTML of a formula; undefined if KaTeX rejects it, or it is too long, too deep or too expensive. */
export function texToHtml(tex: string, isBlock: boolean, time: TimeBudget): string | undefined {
  const hasDefinitions = DEFINITION.test(tex);
  if (tex.length > (hasDefinitions ? WITH_DEFINITIONS.longest : LONGEST_FORMULA)) return undefined;
  const { renderToString } = katex();
  const html = runWithin(time, () =>
    renderToString(tex, {
      displayMode: isBlock,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxSize: 50,
      maxExpand: hasDefinitions ? WITH_DEFINITIONS.expansions : EXPANSIONS,
    }),
  );
  return html === undefined || depthOf(html) > DEEPEST_HTML ? undefined : html;
}

function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of html.matchAll(/<\/?[a-z][^>]*>/g)) {
    if (tag.endsWith('/>')) continue;
    depth += tag.startsWith('</') ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
