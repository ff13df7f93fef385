const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/g;
const RESOURCE = /<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)="([^"]*)"/g;
const ANCHOR = /<a\b[^>]*\bhref="([^"]*)"/g;
const ID = /\sid="([^"]*)"/g;

/** The problems of the pages, with their paths: `/docs/index.html` and so on. */
export function findPageProblems(pages: ReadonlyMap<string, string>, isFile: (path: string) => boolean): string[] {
  const ids = new Map([...pages].map(([path, html]) => [path, new Set(idsOf(html))]));
  return [...pages].flatMap(([path, html]) => [
    ...twice(idsOf(html)).map((id) => `${path}: more than one element has the id ${id}`),
    ...inlineParts(html).map((text) => `${path}: inline script or style: ${text.slice(0, 80)}`),
    ...[...html.matchAll(RESOURCE)]
      .flatMap(([, url = '']) => resourceFault(url, isFile))
      .map((problem) => `${path}: ${problem}`),
    ...[...html.matchAll(ANCHOR)]
      .flatMap(([, url = '']) => (/\.(md|txt)$/.test(url) ? resourceFault(url, isFile) : linkFault(path, url, ids)))
      .map((problem) => `${path}: ${problem}`),
  ]);
}

/** The problems of the Markdown pages, with their paths: links without a target, links to HTML pages, and HTML. */
export function findMarkdownProblems(pages: ReadonlyMap<string, string>, isFile: (path: string) => boolean): string[] {
  return [...pages].flatMap(([path, markdown]) => {
    const prose = withoutCode(markdown);
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, url = '']) => url);
    return [
      ...links.filter((url) => !isMarkdownLink(url, isFile)).map((url) => `${path}: dead link: ${url}`),
      ...[...prose.matchAll(/(?<!\\)<\/?[a-z][^>]*>/gi)].map(([tag]) => `${path}: HTML: ${tag}`),
    ];
  });
}

/** Markdown without fenced code and code in sentences. */
const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^( *)(`{3,})[^`\n]*\n.*?^\1\2$/gms, '').replaceAll(/(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)/gs, '');

function isMarkdownLink(url: string, isFile: (path: string) => boolean): boolean {
  if (/^(https?:|mailto:|#)/.test(url) || BESIDE.has(url)) return true;
  const path = url.replace(/#.*$/, '');
  return path.startsWith('/docs/') && /\.\w+$/.test(path) && !path.endsWith('.html') && isFile(path);
}

const idsOf = (html: string): string[] => [...html.matchAll(ID)].map(([, id = '']) => id);

const twice = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, n) => names.indexOf(name) !== n)),
];

function inlineParts(html: string): string[] {
  const scripts = [...html.matchAll(SCRIPT)].filter(([, attributes = '']) => !/\bsrc=/.test(attributes));
  const styles = [...html.matchAll(/<style\b[^>]*>|<[a-z][^>]*\sstyle="[^"]*"/g)].map(([text]) => text);
  const handlers = [...html.matchAll(/<[a-z][^>]*\son[a-z]+="[^"]*"/g)].map(([text]) => text);
  return [...scripts.map(([, , text = '']) => text.trim()), ...handlers, ...styles];
}

function resourceFault(url: string, isFile: (path: string) => boolean): string[] {
  if (url.startsWith('data:')) return [];
  if (!url.startsWith('/docs/')) return [`resource from elsewhere: ${url}`];
  return isFile(url.replace(/[?#].*$/, '')) ? [] : [`missing file: ${url}`];
}

/** Paths of the server outside these pages. */
const BESIDE = new Set(['/openapi.json', '/openapi.yaml']);

function linkFault(from: string, url: string, ids: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  if (/^(https?:|mailto:)/.test(url) || BESIDE.has(url)) return [];
  const [path = '', fragment = ''] = url.split('#');
  const page = path === '' ? from : `${path.replace(/index\.html$/, '')}${path.endsWith('/') ? 'index.html' : ''}`;
  const known = ids.get(page);
  if (!known) return [`dead link: ${url}`];
  return fragment === '' || fragment === '_top' || known.has(fragment) ? [] : [`dead anchor: ${url}`];
}
