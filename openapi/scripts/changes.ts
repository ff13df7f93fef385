import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChangeNote, type Document, httpMethods, parsePointer, resolve } from '../src/document/index.ts';
import { comparable } from './comparable.ts';
import { redocly } from './redocly.ts';

/** A part of the document, whatever it is. */
interface DocumentPart {
  readonly [key: string]: unknown;
  $ref?: string;
  readonly 'x-changes'?: ChangeNote[];
}

interface Side {
  pointer: string;
  /** An array where it is a list that differs. */
  value: unknown;
}

/** What `redocly diff` reports of a difference, as far as it matters here. */
interface Change {
  /** A pointer from an operation, through references. */
  path: string;
  typeName: string;
  kind: 'added' | 'removed' | 'modified';
  impact: 'major' | 'minor' | 'patch';
  verdicts: { message: string }[];
  /** The keyword that differs. */
  property?: string;
  base?: Side;
  revision?: Side;
}

/**
 * What stands between a document and its release after `released`, in sentences. Whatever clients can tell apart needs a raised
 * feature level, and an `x-changes` note of that level where it is; what is gone is named in a note of what is around it.
 */
export function unannounced(released: Document, present: Document): string[] {
  const [before, after] = [comparable(released), comparable(present)];
  const levels = { from: Number(before.info.version), to: Number(after.info.version) };
  if (levels.to < levels.from) return [`The feature level fell from ${levels.from} to ${levels.to}.`];
  return differences(before, after)
    .flatMap(operationByOperation)
    .filter((change) => matters(change) && !isAnnounced(after, change, levels))
    .map((change) => sentence(change, levels));
}

function differences(before: Document, after: Document): Change[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-changes-'));
  const files = [join(folder, 'released.json'), join(folder, 'present.json')] as const;
  try {
    writeFileSync(files[0], JSON.stringify(before));
    writeFileSync(files[1], JSON.stringify(after));
    const { stdout, stderr } = redocly('diff', ...files, '--format', 'json', '--fail-on', 'none');
    if (!stdout.startsWith('{')) throw new Error(`The documents could not be compared: ${stderr}`);
    return JSON.parse(stdout).changes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A path that came or went is its operations. */
function operationByOperation(change: Change): Change[] {
  const { typeName, path, base, revision } = change;
  if (typeName !== 'PathItem' || change.kind === 'modified') return [change];
  const itemOf = (side: Side | undefined) => (side?.value ?? {}) as DocumentPart;
  const item = itemOf(revision ?? base);
  return httpMethods
    .filter((method) => item[method])
    .map((method) => ({
      ...change,
      typeName: 'Operation',
      path: `${path}/${method}`,
      ...(base && { base: { pointer: `${base.pointer}/${method}`, value: item[method] } }),
      ...(revision && { revision: { pointer: `${revision.pointer}/${method}`, value: item[method] } }),
    }));
}

/** Notes are no change, nor are schemas as such: they matter where they are used. */
function matters({ path, kind }: Change): boolean {
  const keys = parsePointer(path);
  if (path === '#/info' || keys.includes('x-changes')) return false;
  return !(kind !== 'modified' && keys.length === 3 && path.startsWith('#/components/schemas/'));
}

interface Levels {
  from: number;
  to: number;
}

function isAnnounced(doc: Document, change: Change, { from, to }: Levels): boolean {
  if (to === from) return false;
  const isNew = ({ level }: ChangeNote) => level > from && level <= to;
  const pointers = [change.path, change.revision?.pointer ?? change.path];
  const ways = pointers.map((pointer) => wayTo(doc, parsePointer(pointer), change.kind === 'removed'));
  const around = [partOf(doc.info), ...ways.flatMap(({ nodes }) => nodes)].flatMap(notesOf).filter(isNew);
  const names = namesIn(change, ways);
  const isNamed = (name: string) => around.some(({ text }) => text.includes(`\`${name}\``));
  if (change.property !== 'required') {
    return ways.some(({ own }) => own.flatMap(notesOf).some(isNew)) || names.some(isNamed);
  }
  const { properties = {} } = resolve(doc, ways[1]?.nodes.at(-1) ?? {}) as { properties?: DocumentPart };
  return names.every((name) => notesOf(partOf(properties[name])).some(isNew) || isNamed(name));
}

/** What a note may call it. */
function namesIn({ path, property, base, revision }: Change, ways: readonly Way[]): string[] {
  if (property === 'required') {
    const before = (base?.value ?? []) as string[];
    const after = (revision?.value ?? []) as string[];
    return [...before.filter((name) => !after.includes(name)), ...after.filter((name) => !before.includes(name))];
  }
  // An extension that differs on many operations at once may be announced by its name.
  const extensions = [...parsePointer(path), property ?? ''].filter((key) => key.startsWith('x-'));
  const { operationId, name } = partOf(revision?.value ?? base?.value);
  return [
    ...extensions,
    ...ways.flatMap((way) => way.name ?? []),
    ...[operationId, name].filter((one) => typeof one === 'string'),
  ];
}

interface Way {
  /** What is there, from the outermost. */
  nodes: DocumentPart[];
  /** The innermost thing that has a name, and what is in it. */
  own: DocumentPart[];
  name: string | undefined;
}

function wayTo(doc: Document, keys: readonly string[], isRemoved: boolean): Way {
  const nodes: DocumentPart[] = [];
  const own: DocumentPart[] = [];
  let at = partOf(doc);
  let name: string | undefined;
  for (const [index, key] of keys.entries()) {
    const next = resolve(doc, at)[key];
    if (hasName(keys, index)) {
      name = key;
      own.length = 0;
    }
    // At the index of a removed parameter there is another one.
    if (next === undefined || (isRemoved && index === keys.length - 1)) break;
    at = partOf(next);
    // A note may stand beside a reference, or where it leads.
    nodes.push(at, resolve(doc, at));
    own.push(at, resolve(doc, at));
  }
  return { nodes, own, name };
}

/** An operation, a parameter, a field, a code, or a schema. */
function hasName(keys: readonly string[], index: number): boolean {
  if (keys[0] === 'paths' && index === 2) return true;
  if (keys[0] === 'components' && index === 2) return true;
  return ['properties', 'parameters'].includes(keys[index - 1] ?? '') && index > 2;
}

const partOf = (node: unknown): DocumentPart => (node ?? {}) as DocumentPart;

const notesOf = (node: DocumentPart): ChangeNote[] => (Array.isArray(node['x-changes']) ? node['x-changes'] : []);

function sentence(
  { path, typeName, kind, impact, verdicts, property, ...sides }: Change,
  { from, to }: Levels,
): string {
  const what = verdicts[0]?.message ?? `${typeName}${property ? `, ${property},` : ''} was ${kind}.`;
  const { operationId } = partOf((sides.revision ?? sides.base)?.value);
  const needs = to === from ? `a feature level above ${from}, and a note of it` : `a note of level ${to} in x-changes`;
  const where = [...parsePointer(path), ...(operationId ? [operationId] : [])].join(' ');
  return `${impact === 'major' ? 'Breaks clients' : 'Changed'}: ${where}: ${what} It needs ${needs}.`;
}
