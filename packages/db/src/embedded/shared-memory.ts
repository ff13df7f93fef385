// PGlite's modules import a memory of one thread. These functions make them import a shared memory, so that the
// server's thread can set PostgreSQL's interrupt flags while a statement runs. Only the declared limits of the imported
// memory change: loads and stores of a shared memory are the same instructions.

const HEADER = 8;
const IMPORT_SECTION = 2;
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];
const HAS_MAXIMUM = 1;
const SHARED_WITH_MAXIMUM = 3;
/** The maximum that 32-bit addresses can reach. */
const MOST_PAGES = 65_536;

/**
 * The module, importing a shared memory. A memory that declares its maximum, as PostgreSQL's does, changes in a bit of `module`
 * itself: copies of nine megabytes were a quarter of what a short command cost.
 */
export function withSharedMemory(module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (const section of readSections(module)) {
    if (section.id !== IMPORT_SECTION) continue;
    const limits = findMemoryLimits(module, section.content);
    if (!limits) return module;
    if (((module[limits.start] ?? 0) & HAS_MAXIMUM) === 0) return replaceLimits(module, section, limits);
    module[limits.start] = SHARED_WITH_MAXIMUM;
  }
  return module;
}

interface Section {
  readonly id: number;
  /** The position of its size. */
  readonly size: number;
  readonly content: number;
  readonly end: number;
}

interface MemoryLimits {
  readonly start: number;
  readonly end: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** Reads a module from an offset on. */
class ModuleReader {
  constructor(
    readonly bytes: Uint8Array,
    public offset: number,
  ) {}

  byte(): number {
    return this.bytes[this.offset++] ?? 0;
  }

  /** An unsigned number in LEB128. */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  skipName(): void {
    const length = this.number();
    this.offset += length;
  }

  limits(): { minimum: number; maximum: number } {
    const flags = this.byte();
    const minimum = this.number();
    return { minimum, maximum: (flags & HAS_MAXIMUM) !== 0 ? this.number() : MOST_PAGES };
  }
}

function* readSections(bytes: Uint8Array): Generator<Section> {
  const reader = new ModuleReader(bytes, HEADER);
  while (reader.offset < bytes.length) {
    const id = reader.byte();
    const size = reader.offset;
    const length = reader.number();
    const content = reader.offset;
    reader.offset += length;
    yield { id, size, content, end: reader.offset };
  }
}

function findMemoryLimits(bytes: Uint8Array, content: number): MemoryLimits | undefined {
  const reader = new ModuleReader(bytes, content);
  for (let rest = reader.number(); rest > 0; rest--) {
    reader.skipName();
    reader.skipName();
    const kind = reader.byte();
    const start = reader.offset;
    if (kind === MEMORY) return { start, ...reader.limits(), end: reader.offset };
    skipImport(reader, kind);
  }
  return undefined;
}

function skipImport(reader: ModuleReader, kind: number): void {
  if (kind === FUNCTION) return void reader.number();
  // The type of a table's elements and of a global, the attribute of a tag.
  reader.byte();
  if (kind === TABLE) reader.limits();
  else if (kind === GLOBAL) reader.byte();
  else reader.number();
}

function replaceLimits(bytes: Uint8Array, section: Section, limits: MemoryLimits): Uint8Array<ArrayBuffer> {
  const shared = [SHARED_WITH_MAXIMUM, ...toLeb(limits.minimum), ...toLeb(limits.maximum)];
  const length = section.end - section.content + shared.length - (limits.end - limits.start);
  return new Uint8Array(
    Buffer.concat([
      bytes.subarray(0, section.size),
      Uint8Array.from(toLeb(length)),
      bytes.subarray(section.content, limits.start),
      Uint8Array.from(shared),
      bytes.subarray(limits.end),
    ]),
  );
}

function toLeb(value: number): number[] {
  const byte = value % 128;
  return value < 128 ? [byte] : [byte + 128, ...toLeb(Math.floor(value / 128))];
}

/** PGlite compiles views and whole buffers. */
type ModuleBytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

/**
 * Makes this thread create only shared memories, and import them into every module that it compiles from bytes. PGlite
 * creates its memory itself, and loads further modules (PL/pgSQL, dictionaries) from its own file system, without a
 * hook for either.
 */
export function shareMemoryInThisThread(): void {
  const { instantiate, Memory, Module } = WebAssembly;
  Object.assign(WebAssembly, {
    Memory: new Proxy(Memory, {
      construct: (target, [descriptor]) => new target({ ...descriptor, shared: true }),
    }),
    Module: new Proxy(Module, { construct: (target, [bytes]) => new target(withSharedMemory(new Uint8Array(bytes))) }),
    instantiate: (source: ModuleBytes | WebAssembly.Module, imports?: WebAssembly.Imports) =>
      source instanceof Module
        ? instantiate(source, imports)
        : instantiate(withSharedMemory(new Uint8Array(source)), imports),
  });
}
