// What the sources say of the rows of hand-written SQL: the type of each call of `rows`. Nothing but the tests compares these types
// with what the database returns.
import { relative } from 'node:path';
import ts from 'typescript';

/** What a JavaScript value can be, as far as it tells values of different SQL types apart. */
export type ValueKind = 'array' | 'boolean' | 'bytes' | 'date' | 'null' | 'number' | 'object' | 'string' | 'undefined';

export interface DeclaredColumn {
  /** Undefined where the type is `unknown`: nothing is asserted. */
  readonly kinds: readonly ValueKind[] | undefined;
  /** Of the elements, where values are arrays. */
  readonly elements?: readonly ValueKind[] | undefined;
  /** Whether rows can be without it. */
  readonly isOptional: boolean;
}

export interface DeclaredRow {
  /** `packages/db/src/clock.ts:48` */
  readonly at: string;
  /** Undefined where the rows are `unknown`: only their number matters. */
  readonly columns: ReadonlyMap<string, DeclaredColumn> | undefined;
}

/** The declared rows of each call of `rows` in these files; throws for one whose type the call does not say. */
export function readDeclaredRows(root: string, paths: readonly string[], options: ts.CompilerOptions): DeclaredRow[] {
  const calling = paths.filter((path) => /\brows[<(]/.test(ts.sys.readFile(path) ?? ''));
  const program = ts.createProgram(calling, { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  return calling.flatMap((path) => {
    const source = program.getSourceFile(path);
    if (!source) throw new Error(`${path} is not part of the program.`);
    return listCalls(source).map((call) => {
      const { line } = source.getLineAndCharacterOfPosition(call.expression.getStart(source));
      const at = `${relative(root, path)}:${line + 1}`;
      return { at, columns: readRow(checker, rowTypeOf(checker, call), at) };
    });
  });
}

function listCalls(source: ts.SourceFile): ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'rows')
      found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The `Row` of the `Promise<Row[]>` that the call returns. */
function rowTypeOf(checker: ts.TypeChecker, call: ts.CallExpression): ts.Type {
  const list = checker.getAwaitedType(checker.getTypeAtLocation(call));
  const row = list && checker.getIndexTypeOfType(list, ts.IndexKind.Number);
  if (!row) throw new Error(`${call.getText()} returns no rows.`);
  return row;
}

function readRow(checker: ts.TypeChecker, row: ts.Type, at: string): DeclaredRow['columns'] {
  if (row.flags & ts.TypeFlags.Unknown) return undefined;
  if (row.flags & ts.TypeFlags.TypeParameter)
    throw new Error(`${at}: the rows are ${checker.typeToString(row)}, which has no known columns.`);
  if (checker.getIndexTypeOfType(row, ts.IndexKind.String)) return undefined;
  const shapes = partsOf(row);
  const names = new Set(shapes.flatMap((shape) => checker.getPropertiesOfType(shape).map(({ name }) => name)));
  return new Map([...names].map((name) => [name, readColumn(checker, shapes, name)]));
}

function readColumn(checker: ts.TypeChecker, shapes: readonly ts.Type[], name: string): DeclaredColumn {
  const properties = shapes.map((shape) => checker.getPropertyOfType(shape, name));
  const isOptional = properties.some((property) => !property || property.flags & ts.SymbolFlags.Optional);
  // A shape without the column says nothing of its values, so they can be null there.
  const types = properties.flatMap((property) =>
    property ? partsOf(checker.getTypeOfSymbol(property)) : checker.getNullType(),
  );
  const [elements] = types
    .filter((type) => isArray(checker, type))
    .map((type) => checker.getIndexTypeOfType(type, ts.IndexKind.Number));
  return {
    kinds: kindsOf(checker, types),
    elements: elements && kindsOf(checker, partsOf(elements)),
    isOptional,
  };
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

function kindsOf(checker: ts.TypeChecker, types: readonly ts.Type[]): readonly ValueKind[] | undefined {
  const kinds = types.map((type) => kindOf(checker, type));
  return kinds.includes(undefined) ? undefined : [...new Set(kinds as ValueKind[])];
}

const isArray = (checker: ts.TypeChecker, type: ts.Type): boolean =>
  checker.isArrayType(type) || checker.isTupleType(type);

const KINDS: readonly (readonly [ts.TypeFlags, ValueKind])[] = [
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.Null, 'null'],
  // Of an optional property.
  [ts.TypeFlags.Undefined, 'undefined'],
];

const CLASSES: ReadonlyMap<string, ValueKind> = new Map([
  ['Date', 'date'],
  ['Buffer', 'bytes'],
  ['Uint8Array', 'bytes'],
]);

function kindOf(checker: ts.TypeChecker, type: ts.Type): ValueKind | undefined {
  if (type.flags & ts.TypeFlags.Unknown) return undefined;
  const [, primitive] = KINDS.find(([flags]) => type.flags & flags) ?? [];
  if (primitive) return primitive;
  if (isArray(checker, type)) return 'array';
  const known = CLASSES.get(type.symbol?.name ?? '');
  if (known) return known;
  if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return 'object';
  throw new Error(`A column cannot have the type ${checker.typeToString(type)}.`);
}
