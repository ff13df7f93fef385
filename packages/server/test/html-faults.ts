// For tests of rendered content: parses HTML more strictly than any browser.

const attributesOf = (tags: string, attributes: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(tags.split(' ').map((tag) => [tag, attributes]));

const allowed: Record<string, readonly string[]> = {
  ...attributesOf('p br em strong s ul li blockquote pre hr table thead tbody tr h1 h2 h3 h4 h5 h6 code', []),
  ol: ['start'],
  th: ['align'],
  td: ['align'],
  a: ['href', 'title', 'class', 'data-stream-id'],
  div: ['class', 'data-code-language', 'aria-hidden'],
  span: ['class', 'title', 'data-user-id', 'data-user-group-id', 'aria-label', 'aria-hidden', 'role', 'style'],
  time: ['datetime'],
  img: ['class', 'alt', 'title', 'src'],
  // Formulas.
  math: ['xmlns', 'display'],
  annotation: ['encoding'],
  svg: ['xmlns', 'width', 'height', 'viewBox', 'preserveAspectRatio', 'style'],
  path: ['d'],
  line: ['x1', 'y1', 'x2', 'y2', 'stroke-width'],
  ...attributesOf(
    'semantics mrow mi mo mn mtext ms mspace mstyle mpadded mphantom menclose merror mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mlabeledtr mglyph',
    [
      ...'accent accentunder columnalign columnlines columnspacing depth displaystyle fence form height linebreak linethickness'.split(
        ' ',
      ),
      ...'lspace mathbackground mathcolor mathsize mathvariant maxsize minsize notation rowlines rowspacing rspace scriptlevel'.split(
        ' ',
      ),
      ...'separator side stretchy symmetric voffset width largeop movablelimits class style'.split(' '),
    ],
  ),
};
const mentions = '(?:user-mention|user-group-mention|topic-mention)(?: silent)?|stream|stream-topic';
const blocks = 'codehilite|spoiler-block|spoiler-header|spoiler-content|message_inline_image';
const allowedClasses = new RegExp(
  `^(?:${mentions}|emoji|emoji emoji-[0-9a-f-]+|timestamp-error|tex-error|${blocks}|[a-z]{1,3}|katex|katex-display|[\\w -]*)$`,
);
const allowedHrefs =
  /^(?:https?:\/\/\S|mailto:\S|\/user_uploads\/\S|\/#narrow\/stream\/\d+-[\w.-]*(?:\/topic\/[\w.-]*)?$)/i;
const voidTags = ['br', 'hr', 'img'];
const entity = '(?:lt|gt|quot|amp|#x27);';

const decode = (value: string) =>
  value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Returns the first element, attribute or text that is not allowed. */
export function faultIn(html: string): string | undefined {
  const open: string[] = [];
  for (const part of html.match(/<[^>]*>?|[^<]+/g) ?? []) {
    if (!part.startsWith('<')) {
      if (part.includes('>') || new RegExp(`&(?!${entity})`).test(part)) return `unescaped text ${part}`;
      continue;
    }
    const found = /^<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+=(?:"[^"<>]*"|'[^'<>"]*'))*)(\/?)>$/.exec(part);
    const [, slash, tag = '', attributes = '', closed = ''] = found ?? [];
    if (!allowed[tag] || (closed && !['path', 'line'].includes(tag))) return `tag ${part}`;
    if (slash) {
      if (open.pop() !== tag || attributes) return `closing ${part}`;
    } else if (!closed && !voidTags.includes(tag)) open.push(tag);
    for (const [, name = '', double, single] of attributes.matchAll(/ ([a-zA-Z0-9-]+)=(?:"([^"]*)"|'([^']*)')/g)) {
      const fault = faultInAttribute(tag, name, double ?? single ?? '');
      if (fault) return `${fault} in ${part}`;
    }
  }
  return open.length ? `left open: ${open}` : undefined;
}

const allowedValues: Record<string, RegExp> = {
  class: allowedClasses,
  align: /^(?:left|center|right)$/,
  start: /^\d+$/,
  'data-user-id': /^(?:\d+|\*)$/,
  'data-user-group-id': /^\d+$/,
  'data-stream-id': /^\d+$/,
  'aria-hidden': /^true$/,
  role: /^img$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  // Sizes, positions and colors: no value that could load a resource.
  style: /^(?:[a-z-]+:[-+#\w.% ]+;)+$/,
  xmlns: /^http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|2000\/svg)$/,
  encoding: /^application\/x-tex$/,
};

function faultInAttribute(tag: string, name: string, value: string): string | undefined {
  if (!allowed[tag]?.includes(name)) return `attribute ${name}`;
  if (new RegExp(`&(?!${entity})`).test(value)) return `unescaped ${name}`;
  if (allowedValues[name]?.test(value) === false) return name;
  if (name === 'src' && value !== '/emoji/cat.png') return faultInAddress(decode(value), name);
  return name === 'href' ? faultInAddress(decode(value), name) : undefined;
}

function faultInAddress(address: string, name: string): string | undefined {
  if (!allowedHrefs.test(address)) return name;
  const { protocol, host, pathname } = new URL(address, 'http://here.invalid');
  if (!['http:', 'https:', 'mailto:'].includes(protocol)) return 'protocol';
  if (name === 'src' && !/\.(?:avif|bmp|gif|jpe?g|png|webp)$/i.test(pathname)) return name;
  return host === 'here.invalid' && !/^\/(?:$|user_uploads\/.)/.test(pathname) ? 'path' : undefined;
}
