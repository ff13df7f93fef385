import { type Extension, PGlite } from '@electric-sql/pglite';
import type { Cancellation } from './cancellation.ts';
import type { InterruptFlags, ThreadOptions } from './messages.ts';
import { shareMemoryInThisThread } from './shared-memory.ts';

/** PGlite's default, four times as much, takes 110 MB more memory and longer to open: it clears all of it first. */
const BUFFERS = '32MB';
const START = [...PGlite.defaultStartParams, '-c', `shared_buffers=${BUFFERS}`];

/** The exit status with which PGlite ends a failed statement. */
const STATEMENT_FAILED = 100;

/** The options of Emscripten for PostgreSQL that are used here. */
interface EmscriptenOptions {
  readonly wasmMemory: WebAssembly.Memory;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): unknown;
}

/** The exports of PostgreSQL that are used here. */
interface PostgresExports {
  readonly InterruptPending: WebAssembly.Global;
  readonly QueryCancelPending: WebAssembly.Global;
  /** Returns the address of a setting's value, in the setting's unit. */
  GetConfigOption(name: number, mayBeMissing: number, mayBeRestricted: number): number;
}

/** The parts of PGlite's module that are used here. */
interface PostgresModule {
  _PostgresMainLoopOnce(): void;
  UTF8ToString(address: number): string;
  stringToNewUTF8(text: string): number;
}

/** PostgreSQL in this thread. */
export class EmbeddedEngine {
  readonly #cancellation: Cancellation;
  readonly #pglite: PGlite;
  #exports: PostgresExports | undefined;
  #memory: Int32Array | undefined;
  /** The address of the name of a setting. */
  #statementTimeout = 0;

  private constructor(options: ThreadOptions, cancellation: Cancellation) {
    this.#cancellation = cancellation;
    this.#pglite = new PGlite({
      startParams: START,
      pgliteWasmModule: options.postgres,
      extensions: { interrupts: this.#interrupts() },
      ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
      ...(options.snapshot !== undefined && { loadDataDir: options.snapshot }),
    });
  }

  /** `onFailure` is called when PostgreSQL has ended or is in an unknown state, and must not return. */
  static async open(
    options: ThreadOptions,
    cancellation: Cancellation,
    onFailure: (error: unknown) => never,
  ): Promise<EmbeddedEngine> {
    shareMemoryInThisThread();
    const engine = new EmbeddedEngine(options, cancellation);
    await engine.#pglite.waitReady;
    engine.#statementTimeout = engine.#module.stringToNewUTF8('statement_timeout');
    engine.#watchFailures(onFailure);
    return engine;
  }

  get interruptFlags(): InterruptFlags {
    const { InterruptPending, QueryCancelPending } = this.#postgres;
    return {
      memory: this.#words.buffer as SharedArrayBuffer,
      interruptPending: InterruptPending.value,
      queryCancelPending: QueryCancelPending.value,
    };
  }

  /** Runs messages of PostgreSQL's protocol, and passes on its responses. */
  async run(messages: Uint8Array, onMessages: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void> {
    this.#cancellation.begin(this.#findLimit());
    try {
      await this.#pglite.execProtocolRawStream(messages, {
        syncToFs: false,
        // The bytes are PostgreSQL's own buffer.
        onRawData: (bytes) => onMessages(new Uint8Array(bytes)),
      });
    } finally {
      this.#endRun();
    }
  }

  async dump(): Promise<Blob> {
    return this.#pglite.dumpDataDir('none');
  }

  close(): Promise<void> {
    return this.#pglite.close();
  }

  #endRun(): void {
    const { QueryCancelPending } = this.#postgres;
    this.#cancellation.end(() => Atomics.store(this.#words, QueryCancelPending.value >> 2, 0));
  }

  /** The effective `statement_timeout` of session and transaction, in milliseconds. */
  #findLimit(): number {
    return Number(this.#module.UTF8ToString(this.#postgres.GetConfigOption(this.#statementTimeout, 0, 0)));
  }

  get #module(): PostgresModule {
    return this.#pglite.Module as unknown as PostgresModule;
  }

  get #postgres(): PostgresExports {
    if (!this.#exports) throw new Error('PostgreSQL is not loaded.');
    return this.#exports;
  }

  get #words(): Int32Array {
    if (!this.#memory) throw new Error('PostgreSQL is not loaded.');
    return this.#memory;
  }

  /** Finds PostgreSQL's memory and its interrupt flags. */
  #interrupts(): Extension {
    return {
      name: 'interrupts',
      setup: async (_pglite, emscriptenOptions: EmscriptenOptions) => ({
        emscriptenOpts: {
          ...emscriptenOptions,
          instantiateWasm: ((imports, done) =>
            emscriptenOptions.instantiateWasm(imports, (instance, module) => {
              this.#exports = instance.exports as unknown as PostgresExports;
              this.#memory = new Int32Array(emscriptenOptions.wasmMemory.buffer);
              done(instance, module);
            })) satisfies EmscriptenOptions['instantiateWasm'],
        },
      }),
    };
  }

  /** PGlite discards every exception of PostgreSQL's main loop, and would call it forever after an exit or a crash. */
  #watchFailures(onFailure: (error: unknown) => never): void {
    const module = this.#module;
    const run = module._PostgresMainLoopOnce;
    module._PostgresMainLoopOnce = () => {
      try {
        run();
      } catch (error) {
        if ((error as { status?: unknown }).status === STATEMENT_FAILED) throw error;
        onFailure(error);
      }
    };
  }
}
