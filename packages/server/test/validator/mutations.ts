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

/** At most `count` mutations of a JSON value, spread over all of them. */
export function someMutations(value: unknown, count: number): unknown[] {
  const all = [...mutationsOf(value as Json)];
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, n) => all[Math.floor(n * step)]);
}
