// The titles of tests, as they stand in the sources.
import ts from 'typescript';

const SUITES = new Set(['describe', 'suite']);
const TESTS = new Set(['test', 'it']);
/** Tests that do not run show nothing. */
const IDLE = new Set(['skip', 'todo', 'fails']);

/** The full titles in a test file, `describe > test`; what a template puts together is a placeholder. */
export function titlesIn(source: string): string[] {
  const titles: string[] = [];
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
    if (TESTS.has(head)) titles.push(full.join(' > '));
    else ts.forEachChild(node, (child) => visit(child, full));
  };
  visit(ts.createSourceFile('tests.ts', source, ts.ScriptTarget.Latest, true), []);
  return titles;
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

const PLACEHOLDER = /%[sdifjoOp#]|\$[A-Za-z_]\w*(?:\.\w+)*/g;

/** Whether `named` is that title, or what it becomes with values that the file has in it. */
export function isNamed(title: string, named: string, source: string): boolean {
  if (title === named) return true;
  const literals = title.split(PLACEHOLDER).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const values = new RegExp(`^${literals.join('(.+)')}$`, 's').exec(named)?.slice(1);
  return values !== undefined && values.length > 0 && values.every((value) => source.includes(value));
}
