// Ensures one reader of the OpenAPI document: only `@parley/openapi/document` resolves references.
import ts from 'typescript';
import type { SourceFile } from './source-file.ts';

const READER = 'openapi/src/document/';
const KEY = '$ref';

/** Places that read `$ref` of a node. Writing a reference, as `{ $ref: … }`, does not count. */
export function findDocumentReaders(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith(READER) && !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) => {
      // In an Astro component, the part between the dashes is TypeScript.
      const code = path.endsWith('.astro') ? (text.split(/^---$/m)[1] ?? '') : text;
      if (!code.includes(KEY)) return [];
      const source = ts.createSourceFile(path, code, ts.ScriptTarget.Latest);
      return listReads(source).map(
        (node) =>
          `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}: use \`@parley/openapi/document\` instead of reading ${KEY}.`,
      );
    });
}

function listReads(source: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isRead(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isRead(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === KEY;
  if (ts.isElementAccessExpression(node))
    return ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === KEY;
  if (!ts.isBindingElement(node)) return false;
  const name = node.propertyName ?? node.name;
  return (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) && name.text === KEY;
}
