// Which tests of a file show a statement of docs/statements.md. A comment directly above the test says so: `// shows: 4.1.3, 4.2.1`.
import ts from 'typescript';

const SUITES = new Set(['describe', 'suite']);
const TESTS = new Set(['test', 'it']);
/** Tests that do not run show no statement. */
const IDLE = new Set(['skip', 'todo', 'fails']);

const TAG = /^[ \t]*\/\/ ?shows\b:?.*$/gm;
const TAG_TEXT = /^\/\/ shows: (.+)$/;
/**
 * `4.1.3`, or `4.13.2 [dense_mode]` for one case of a test with placeholders in its title: a value for each of them.
 */
const ENTRY = /^(\d+(?:\.\d+)+)((?: \[[^\]]+\])*)$/;
const PLACEHOLDER = /%[sdifjoOp#]|\$[A-Za-z_]\w*(?:\.\w+)*/g;

/** A test, and a statement that it shows. */
export interface StatementTag {
  readonly statement: string;
  /** The name of the test, `describe > test`, with the values of its case. */
  readonly title: string;
}

export interface TagsOfFile {
  readonly tags: readonly StatementTag[];
  readonly problems: readonly string[];
}

interface TestCall {
  readonly title: string;
  /** Positions of the comments directly above it. */
  readonly comments: readonly number[];
}

/** The tags of a test file, and their problems. */
export function findTags(text: string): TagsOfFile {
  if (text.search(TAG) < 0) return { tags: [], problems: [] };
  const tests = listTests(text);
  const code = text.replaceAll(TAG, '');
  const read = [...text.matchAll(TAG)].map(({ 0: line, index }): TagsOfFile => {
    const comment = line.trim();
    const test = tests.find(({ comments }) => comments.includes(index + line.indexOf(comment)));
    return test ? readTag(comment, test.title, code) : problem(`"${comment}" is above no test that runs.`);
  });
  const tags = read.flatMap((one) => one.tags);
  const keys = tags.map(({ statement, title }) => `${statement} at "${title}"`);
  const twice = keys.filter((key, n) => keys.indexOf(key) !== n).map((key) => `${key} is there twice.`);
  return { tags, problems: [...read.flatMap((one) => one.problems), ...twice] };
}

const problem = (text: string): TagsOfFile => ({ tags: [], problems: [text] });

function readTag(comment: string, title: string, code: string): TagsOfFile {
  const entries = TAG_TEXT.exec(comment)?.[1]?.split(/, (?=\d+\.)/) ?? [];
  const read = entries.map((entry) => {
    const [, statement = '', values = ''] = ENTRY.exec(entry) ?? [];
    if (statement === '') return problem(`"${comment}" does not have the form "// shows: 4.1.3, 4.13.2 [value]".`);
    const named = [...values.matchAll(/\[([^\]]+)\]/g)].map(([, value = '']) => value);
    const wrong = caseProblem(title, named, code);
    return wrong === undefined
      ? { tags: [{ statement, title: fill(title, named) }], problems: [] }
      : problem(`${statement} at "${title}": ${wrong}`);
  });
  if (read.length === 0) return problem(`"${comment}" does not have the form "// shows: 4.1.3, 4.13.2 [value]".`);
  return { tags: read.flatMap(({ tags }) => tags), problems: read.flatMap(({ problems }) => problems) };
}

function caseProblem(title: string, values: readonly string[], code: string): string | undefined {
  if (values.length === 0) {
    const leaf = title.split(' > ').at(-1) ?? '';
    return /[a-z]{2}/.test(leaf.replaceAll(PLACEHOLDER, '')) ? undefined : 'the title alone says nothing; name a case.';
  }
  const count = [...title.matchAll(PLACEHOLDER)].length;
  if (values.length !== count) return `a case has ${count} values, one for each placeholder.`;
  const missing = values.find((value) => !code.includes(value));
  return missing === undefined ? undefined : `the file has no value "${missing}".`;
}

function fill(title: string, values: readonly string[]): string {
  const left = [...values];
  return title.replaceAll(PLACEHOLDER, (placeholder) => left.shift() ?? placeholder);
}

/** The tests of a file that run, under their full titles; expressions in templates are placeholders. */
function listTests(text: string): TestCall[] {
  const tests: TestCall[] = [];
  const visit = (node: ts.Node, above: readonly string[]): void => {
    const words = ts.isCallExpression(node) ? wordsOf(node.expression) : [];
    const [head = ''] = words;
    const title = ts.isCallExpression(node) ? titleOf(node.arguments[0]) : undefined;
    if (title === undefined || !(SUITES.has(head) || TESTS.has(head))) {
      ts.forEachChild(node, (child) => visit(child, above));
      return;
    }
    if (words.some((word) => IDLE.has(word))) return;
    const full = [...above, title];
    if (SUITES.has(head)) {
      ts.forEachChild(node, (child) => visit(child, full));
      return;
    }
    const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    tests.push({ title: full.join(' > '), comments: comments.map(({ pos }) => pos) });
  };
  visit(ts.createSourceFile('tests.ts', text, ts.ScriptTarget.Latest, true), []);
  return tests;
}

/** `test.runIf(there).each(rows)` as its words: test, runIf, each. */
function wordsOf(node: ts.Expression): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...wordsOf(node.expression), node.name.text];
  if (ts.isCallExpression(node)) return wordsOf(node.expression);
  return ts.isTaggedTemplateExpression(node) ? wordsOf(node.tag) : [];
}

function titleOf(node: ts.Expression | undefined): string | undefined {
  if (node && ts.isStringLiteralLike(node)) return node.text;
  if (!node || !ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `%s${literal.text}`).join('');
}
