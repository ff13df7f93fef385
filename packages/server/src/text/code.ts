import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import { loadOnFirstUse } from '../core/lazy.ts';
import { getCodeClass } from './code-classes.ts';
import { languageByAlias } from './generated/languages.ts';
import { runWithin, type TimeBudget } from './time-limit.ts';

/** UTF-16 units. Grammars scan the rest of a line again and again; lines as long as this are data, and rarely code. */
const LONGEST_LINE = 500;

/** Wall-clock time. Code without highlighting is still readable, so its timeout is shorter than that of a formula. */
const LONGEST_RUN_MS = 150;

const require = createRequire(import.meta.url);
const library = loadOnFirstUse(() => require('highlight.js/lib/core') as HLJSApi);
const aliases = loadOnFirstUse(() => new Map(Object.entries(languageByAlias)));
const grammars = new Map<string, HLJSApi>();

/** The language of a code block as clients know it: its name, or the typed text if it is unknown. */
export function languageLabel(typed: string): string {
  return aliases().get(typed.toLowerCase())?.[1] ?? typed;
}

/** HTML of code with its tokens in spans; undefined if the language is unknown, or the code too long or too expensive. */
export function highlightCode(
  code: string,
  typed: string,
  time: TimeBudget,
  longestMs = LONGEST_RUN_MS,
): string | undefined {
  const language = aliases().get(typed.toLowerCase())?.[0];
  if (language === undefined || language === 'plaintext' || hasLongLine(code)) return undefined;
  const grammar = grammarOf(language);
  const highlight = () => grammar.highlight(code, { language, ignoreIllegals: true }).value;
  const html = runWithin(time, highlight, longestMs);
  return html === undefined ? undefined : withShortClasses(html);
}

/** Each has an instance of its own: nested code renders the same whatever other messages contained. */
function grammarOf(language: string): HLJSApi {
  const known = grammars.get(language);
  if (known) return known;
  const grammar = library().newInstance();
  grammar.registerLanguage(language, require(`highlight.js/lib/languages/${language}`) as LanguageFn);
  // Compiled now, so that a deadline never leaves it partly compiled.
  grammar.highlight('', { language });
  grammars.set(language, grammar);
  return grammar;
}

const hasLongLine = (code: string): boolean => code.split('\n').some((line) => line.length > LONGEST_LINE);

/** highlight.js escapes all text, so every `<` begins a tag. Spans without a short class are omitted. */
function withShortClasses(html: string): string {
  const open: boolean[] = [];
  return html
    .replace(/<span class="([^"]*)">|<\/span>/g, (tag, scope: string | undefined) => {
      if (scope === undefined) return open.pop() ? tag : '';
      const short = getCodeClass(scope);
      open.push(short !== undefined);
      return short === undefined ? '' : `<span class="${short}">`;
    })
    .replaceAll('&#x27;', "'");
}
