// Large libraries are loaded on first use: a short command must not wait for code that it does not call.
const loaders: (() => unknown)[] = [];

/** Returns a function that calls `load` once, on first use. */
export function lazy<T>(load: () => T): () => T {
  const get = loadOnFirstUse(load);
  loaders.push(get);
  return get;
}

/** Like `lazy`, for code that most servers never use: servers do not load it at their start either. */
export function loadOnFirstUse<T>(load: () => T): () => T {
  let loaded: { readonly value: T } | undefined;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}

/** Loads every lazy library now. A server calls this at its start, so that no request waits for a library. */
export async function loadLibraries(): Promise<void> {
  await Promise.all(loaders.map((load) => load()));
}
