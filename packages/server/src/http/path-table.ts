/** What was found at a path, and its parameters, decoded. */
interface PathMatch<T> {
  readonly value: T;
  readonly params: Record<string, string>;
}

interface PathPattern<T> {
  readonly segments: readonly string[];
  readonly value: T;
}

const PARAMETER = /^{(\w+)}$/;

/**
 * Finds what belongs to a path, such as `/users/{user_id}`. A path without parameters is one look-up, and a path with parameters is
 * compared with those of as many segments; a router of Express tries the regular expression of each path in turn.
 */
export class PathTable<T> {
  readonly #literals = new Map<string, T>();
  /** By number of segments, in their order. */
  readonly #patterns = new Map<number, PathPattern<T>[]>();

  constructor(paths: Iterable<readonly [path: string, value: T]>) {
    for (const [path, value] of paths) {
      const segments = path.split('/');
      if (!path.includes('{')) this.#literals.set(path, value);
      else if (segments.some((segment) => segment.includes('{') && !PARAMETER.test(segment)))
        throw new Error(`A parameter must be a whole segment of the path ${path}.`);
      else this.#patterns.set(segments.length, [...(this.#patterns.get(segments.length) ?? []), { segments, value }]);
    }
  }

  /** Paths without parameters come first. Throws a URIError if a parameter cannot be decoded. */
  find(path: string): PathMatch<T> | undefined {
    const literal = this.#literals.get(path);
    if (literal !== undefined) return { value: literal, params: {} };
    const segments = path.split('/');
    const found = this.#patterns.get(segments.length)?.find((pattern) => fits(pattern.segments, segments));
    return found && { value: found.value, params: readParameters(found.segments, segments) };
  }
}

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.every((part, n) => (PARAMETER.test(part) ? segments[n] !== '' : part === segments[n]));

function readParameters(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [n, part] of pattern.entries()) {
    const [, name] = PARAMETER.exec(part) ?? [];
    if (name !== undefined) params[name] = decodeURIComponent(segments[n] ?? '');
  }
  return params;
}
