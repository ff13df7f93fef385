import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparable } from './comparable.ts';
import { type BundledDocument, methods, type Node, resolve } from './document.ts';
import { redocly } from './redocly.ts';

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
  base?: { pointer: string; value: Node };
  revision?: { pointer: string; value: Node };
}

/**
 * What stands between a document and its release after `released`, in sentences. Whatever clients can tell apart needs a raised
 * feature level, and an `x-changes` note of that level where it is; what is gone is named in a note of what is around it.
 */
export function unannounced(released: BundledDocument, present: BundledDocument): string[] {
  const [before, after] = [comparable(released), comparable(present)];
  const levels = { from: Number(before.info.version), to: Number(after.info.version) };
  if (levels.to < levels.from) return [`The feature level fell from ${levels.from} to ${levels.to}.`];
  return differences(before, after)
    .flatMap(operationByOperation)
    .filter((change) => matters(change) && !isAnnounced(after, change, levels))
    .map((change) => sentence(change, levels));
}

function differences(before: BundledDocument, after: BundledDocument): Change[] {
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
  const item = (revision ?? base)?.value;
  return methods
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
  const keys = keysOf(path);
  if (path === '#/info' || keys.includes('x-changes')) return false;
  return !(kind !== 'modified' && keys.length === 3 && path.startsWith('#/components/schemas/'));
}

interface Levels {
  from: number;
  to: number;
}

function isAnnounced(doc: BundledDocument, change: Change, { from, to }: Levels): boolean {
  if (to === from) return false;
  const isNew = ({ level }: Node) => level > from && level <= to;
  const pointers = [change.path, change.revision?.pointer ?? change.path];
  const ways = pointers.map((pointer) => wayTo(doc, keysOf(pointer), change.kind === 'removed'));
  const around = [doc.info as Node, ...ways.flatMap(({ nodes }) => nodes)].flatMap(notesOf).filter(isNew);
  const names = namesIn(change, ways);
  const isNamed = (name: string) => around.some(({ text }) => text.includes(`\`${name}\``));
  if (change.property !== 'required') {
    return ways.some(({ own }) => own.flatMap(notesOf).some(isNew)) || names.some(isNamed);
  }
  const { properties = {} } = resolve(doc, ways[1]?.nodes.at(-1)) as Node;
  return names.every((name) => notesOf(properties[name]).some(isNew) || isNamed(name));
}

/** What a note may call it. */
function namesIn({ path, property, base, revision }: Change, ways: readonly Way[]): string[] {
  if (property === 'required') {
    const before: string[] = base?.value ?? [];
    const after: string[] = revision?.value ?? [];
    return [...before.filter((name) => !after.includes(name)), ...after.filter((name) => !before.includes(name))];
  }
  // An extension that differs on many operations at once may be announced by its name.
  const extensions = [...keysOf(path), property ?? ''].filter((key) => key.startsWith('x-'));
  const { operationId, name } = revision?.value ?? base?.value ?? {};
  return [
    ...extensions,
    ...ways.flatMap((way) => way.name ?? []),
    ...[operationId, name].filter((one) => typeof one === 'string'),
  ];
}

interface Way {
  /** What is there, from the outermost. */
  nodes: Node[];
  /** The innermost thing that has a name, and what is in it. */
  own: Node[];
  name: string | undefined;
}

function wayTo(doc: BundledDocument, keys: readonly string[], isGone: boolean): Way {
  const nodes: Node[] = [];
  const own: Node[] = [];
  let at: Node = doc;
  let name: string | undefined;
  for (const [index, key] of keys.entries()) {
    at = resolve(doc, at)[key];
    if (hasName(keys, index)) {
      name = key;
      own.length = 0;
    }
    // What is at the place of a parameter that is gone is another one.
    if (at === undefined || (isGone && index === keys.length - 1)) break;
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

const notesOf = (node: Node): Node[] => (Array.isArray(node?.['x-changes']) ? node['x-changes'] : []);

const keysOf = (pointer: string): string[] =>
  pointer
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

function sentence(
  { path, typeName, kind, impact, verdicts, property, ...sides }: Change,
  { from, to }: Levels,
): string {
  const what = verdicts[0]?.message ?? `${typeName}${property ? `, ${property},` : ''} was ${kind}.`;
  const named = (sides.revision ?? sides.base)?.value?.operationId;
  const needs = to === from ? `a feature level above ${from}, and a note of it` : `a note of level ${to} in x-changes`;
  const where = [...keysOf(path), ...(named ? [named] : [])].join(' ');
  return `${impact === 'major' ? 'Breaks clients' : 'Changed'}: ${where}: ${what} It needs ${needs}.`;
}
