// Large libraries are loaded when they are first used: a short command must not wait for what it never calls.
const loaders: (() => unknown)[] = [];

/** Returns a function that calls `load` when its result is first needed, and once. */
export function lazy<T>(load: () => T): () => T {
  const get = loadOnFirstUse(load);
  loaders.push(get);
  return get;
}

/** As `lazy`, for what most servers never use: a server does not load it at its start either. */
export function loadOnFirstUse<T>(load: () => T): () => T {
  let loaded: { readonly value: T } | undefined;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}

/** Loads every library now. A server calls this at its start, so that no request waits for a library. */
export async function loadLibraries(): Promise<void> {
  await Promise.all(loaders.map((load) => load()));
}
