// Values that differ from a given one in one place: most of them break a rule of its schema.

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const OTHERS: readonly Json[] = [null, true, -1, 1.5, 2 ** 53, '', 'x', '😀'.repeat(1100), [], [null], {}, { x: 1 }];

/** Each single change of a JSON value: a part of it replaced, left out, repeated, or added. */
function* mutationsOf(value: Json): Generator<Json> {
  yield* OTHERS;
  if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) {
      for (const other of mutationsOf(item)) yield value.with(n, other);
      yield value.toSpliced(n, 1);
    }
    if (value.length > 0) yield Array.from({ length: 1001 }, () => value[0] as Json);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      for (const other of mutationsOf(part)) yield { ...value, [name]: other };
      const { [name]: _, ...rest } = value as Record<string, Json>;
      yield rest;
    }
    yield { ...value, undocumented: 1 };
  }
}

/** At most `count` of these, spread over all of them. */
export function spread<Item>(all: readonly Item[], count: number): Item[] {
  const step = Math.max(1, all.length / count);
  return all.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step)).slice(0, count);
}

/** At most `count` mutations of a JSON value. */
export const someMutations = (value: unknown, count: number): unknown[] =>
  spread([...mutationsOf(value as Json)], count);
