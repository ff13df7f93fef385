// Enforces the words of docs/glossary.md: finds names and texts with a retired word, and exported types with the same
// name.
import { basename } from 'node:path';
import ts from 'typescript';
import { IDIOMS, RETIRED_COMPONENTS, RETIRED_LOCALS, RETIRED_NAMES, RETIRED_PROSE } from './retired-words.ts';
import type { SourceFile } from './source-file.ts';

/** The server and the client derive these from the document: requests and responses differ between them. */
const ON_BOTH_SIDES = new Set(['ErrorCode', 'Event', 'OperationId', 'Params', 'Payload', 'Schema']);

/** The words of a name: `emitUserAdded`, `user_groups` and `sign-in` have three, two and two. */
export function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

function findRetired(name: string, words = RETIRED_NAMES): string | undefined {
  const word = splitName(name).find((one) => Object.hasOwn(words, one));
  return word && `"${name}" has the word "${word}"; use ${words[word]}.`;
}

type Declaration = ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

const isNamed = (node: ts.Node): node is Declaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node);

const isExported = (node: Declaration | ts.VariableStatement): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

/** The names that a file declares: its top-level declarations, and the members of its types. */
function listDeclared({ path, text }: SourceFile): { name: string; isExportedType: boolean }[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((node) => {
    if (ts.isVariableStatement(node))
      return node.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [{ name: name.text, isExportedType: false }] : [],
      );
    if (!isNamed(node) || !node.name) return [];
    const isExportedType = !ts.isFunctionDeclaration(node) && isExported(node);
    return [{ name: node.name.text, isExportedType }, ...listMembers(node)];
  });
}

function listMembers(node: Declaration): { name: string; isExportedType: boolean }[] {
  const members = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? [...node.members] : [];
  return members.flatMap(({ name }) =>
    name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? [{ name: name.text, isExportedType: false }] : [],
  );
}

/** Retired words in the names that files declare, and in the names of the files. */
export function findRetiredNames(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const names = [basename(file.path).replace(/\..*$/, ''), ...listDeclared(file).map(({ name }) => name)];
    return [...new Set(names.flatMap((name) => findRetired(name) ?? []))].map((problem) => `${file.path}: ${problem}`);
  });
}

/** Exported types that have the name of another one. */
export function findSharedTypeNames(files: readonly SourceFile[]): string[] {
  const pathsByType = new Map<string, string[]>();
  for (const file of files)
    for (const { name, isExportedType } of listDeclared(file))
      if (isExportedType && !ON_BOTH_SIDES.has(name))
        pathsByType.set(name, [...(pathsByType.get(name) ?? []), file.path]);
  return [...pathsByType]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `The type ${name} is exported by ${paths.join(' and ')}: give each a name of its own.`);
}

/** Retired words in the names of the components of an OpenAPI document. */
export function findRetiredComponents(components: Readonly<Record<string, object>>): string[] {
  const words = { ...RETIRED_NAMES, ...RETIRED_COMPONENTS };
  return Object.entries(components).flatMap(([kind, named]) =>
    Object.keys(named)
      .flatMap((name) => findRetired(name, words) ?? [])
      .map((problem) => `components/${kind}: ${problem}`),
  );
}

/** Markdown without its code, which quotes what users and programs write, and with the same lines. */
export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^( *)```.*?^\1```|`[^`\n]*`/gms, (code) => code.replaceAll(/[^\n]/g, ' '));
}

/** Retired words in texts. */
export function findRetiredProse(files: readonly SourceFile[], retired = RETIRED_PROSE): string[] {
  const longestFirst = Object.keys(retired).toSorted((one, other) => other.length - one.length);
  const words = new RegExp(`\\b(${longestFirst.join('|').replaceAll(' ', '\\s+')})\\b`, 'gi');
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(words)].map(({ 0: word, index }) => {
      const line = text.slice(0, index).split('\n').length;
      const found = word.replaceAll(/\s+/g, ' ');
      return `${path}:${line}: say ${retired[found.toLowerCase()]} instead of "${found}".`;
    }),
  );
}

/**
 * A program with only its texts of several words, and with the same lines. Words alone are names of other programs, and
 * no user reads SQL.
 */
export function onlyTexts({ path, text }: SourceFile): SourceFile {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const left: string[] = text.split('').map((character) => (character === '\n' ? '\n' : ' '));
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'sql') return;
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node))
      if (node.text.trim().includes(' '))
        for (let at = node.getStart(source); at < node.end; at++) left[at] = text.charAt(at);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { path, text: left.join('') };
}

/** A program with only its comments and its texts of several words, and with the same lines. */
export function onlyProse({ path, text }: SourceFile): SourceFile {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const left = onlyTexts({ path, text }).text.split('');
  const visit = (node: ts.Node): void => {
    const comments = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of comments)
      for (const [at, character] of withoutCode(text.slice(pos, end)).split('').entries()) left[pos + at] = character;
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return { path, text: left.join('') };
}

/** Retired words in the names of variables, parameters, functions, types and methods, at any depth of a program. */
export function findRetiredLocals(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const name = nameOfLocal(node);
      const problem = name && findRetired(name.text, RETIRED_LOCALS);
      if (problem) found.push(`${path}:${source.getLineAndCharacterOfPosition(name.getStart()).line + 1}: ${problem}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** The name that a declaration gives. Properties have names of the API and of columns, and are destructured by them. */
function nameOfLocal(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | undefined {
  const isLocal =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    (ts.isBindingElement(node) && node.propertyName !== undefined) ||
    ts.isMethodDeclaration(node) ||
    isNamed(node);
  const name = isLocal ? node.name : undefined;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name : undefined;
}

/** Declarations with a name that a program cleaned of idioms must not have: variables, parameters and functions. */
export function findIdioms(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if ((ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node)) && node.name)
        if (ts.isIdentifier(node.name) && Object.hasOwn(IDIOMS, node.name.text)) {
          const line = source.getLineAndCharacterOfPosition(node.name.getStart()).line + 1;
          found.push(`${path}:${line}: use ${IDIOMS[node.name.text]} instead of "${node.name.text}".`);
        }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
