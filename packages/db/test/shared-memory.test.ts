import { expect, test } from 'vitest';
import { withSharedMemory } from '../src/embedded/shared-memory.ts';

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** One type: a function without parameters and results. */
const TYPES = [1, 4, 1, 0x60, 0, 0];
const nameOf = (text: string) => [text.length, ...Buffer.from(text)];
const FUNCTION = [...nameOf('env'), ...nameOf('call'), 0, 0];
const TABLE = [...nameOf('env'), ...nameOf('table'), 1, 0x70, 0, 1];
const GLOBAL = [...nameOf('env'), ...nameOf('base'), 3, 0x7f, 0];
const memoryOf = (...limits: number[]) => [...nameOf('env'), ...nameOf('memory'), 2, ...limits];

function moduleOf(...imports: number[][]): Uint8Array<ArrayBuffer> {
  const section = [imports.length, ...imports.flat()];
  return Uint8Array.from([...HEADER, ...TYPES, 2, section.length, ...section]);
}

function canLink(module: Uint8Array<ArrayBuffer>, memory: WebAssembly.MemoryDescriptor): boolean {
  const env = {
    call: () => {},
    table: new WebAssembly.Table({ initial: 1, element: 'anyfunc' }),
    base: new WebAssembly.Global({ value: 'i32' }, 0),
    memory: new WebAssembly.Memory(memory),
  };
  const compiled = new WebAssembly.Module(module);
  try {
    return new WebAssembly.Instance(compiled, { env }) instanceof WebAssembly.Instance;
  } catch (error) {
    if (error instanceof WebAssembly.LinkError) return false;
    throw error;
  }
}

const own = { initial: 2, maximum: 300 };
const shared = { ...own, shared: true };

test.each([
  ['with a maximum', memoryOf(1, 2, 0xac, 2)],
  ['without a maximum', memoryOf(0, 1)],
])('a module with a memory %s uses a shared one instead, whatever else it imports', (_case, memory) => {
  const module = moduleOf(FUNCTION, TABLE, GLOBAL, memory);
  expect([canLink(module, own), canLink(module, shared)]).toEqual([true, false]);
  const changed = withSharedMemory(module);
  expect([canLink(changed, own), canLink(changed, shared)]).toEqual([false, true]);
});

test('a module without a memory stays unchanged', () => {
  const module = moduleOf(FUNCTION, GLOBAL);
  expect(withSharedMemory(module)).toEqual(module);
  const empty = Uint8Array.from(HEADER);
  expect(withSharedMemory(empty)).toEqual(empty);
});
