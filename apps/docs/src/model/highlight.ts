import { escapeHtml } from './markdown.ts';

export type Language = 'json' | 'shell' | 'ts' | 'js' | 'text';

const KEYWORDS =
  'import|from|export|const|let|await|async|new|if|else|for|of|in|while|try|catch|throw|return|function|instanceof|break|continue|true|false|null|undefined';
const script = new RegExp(
  String.raw`(?<comment>\/\/[^\n]*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60)|(?<keyword>\b(?:${KEYWORDS})\b)|(?<number>\b\d[\d_.]*\b)|(?<name>\b[A-Za-z_]\w*(?=\())`,
  'g',
);
const grammars: Record<Language, RegExp | undefined> = {
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<keyword>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*\b)/g,
  shell:
    /(?<comment>(?:^|(?<=\s))#[^\n]*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<keyword>(?:^|(?<=\n|\| ))(?:curl|npm|npx|export|git|cd|parley|node_modules\/\.bin\/parley)\b)|(?<number>(?<=\s)--?[A-Za-z][\w-]*)/g,
  ts: script,
  js: script,
  text: undefined,
};

/** A piece of code, and what it is; pieces without a kind are plain. */
export interface Token {
  kind?: string;
  text: string;
}

/** Code cut into tokens. Together they are the code again. */
export function tokensOf(code: string, language: Language): Token[] {
  const grammar = grammars[language];
  const tokens: Token[] = [];
  let at = 0;
  for (const match of grammar ? code.matchAll(grammar) : []) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    tokens.push({ text: code.slice(at, match.index) }, { text: match[0], ...(kind !== undefined && { kind }) });
    at = match.index + match[0].length;
  }
  return [...tokens, { text: code.slice(at) }].filter(({ text }) => text !== '');
}

/** Code as HTML, its tokens in spans of one class each. Runs at build time and, in the console, in the browser. */
export function highlight(code: string, language: Language): string {
  return tokensOf(code, language)
    .map(({ kind, text }) =>
      kind === undefined ? escapeHtml(text) : `<span class="t-${kind}">${escapeHtml(text)}</span>`,
    )
    .join('');
}

const ALIASES: Record<string, Language> = { sh: 'shell', bash: 'shell', javascript: 'js', typescript: 'ts' };

export function languageOf(name: string): Language {
  if (name in grammars) return name as Language;
  return ALIASES[name] ?? 'text';
}
