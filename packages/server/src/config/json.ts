// Settings in JSON: their schemas, and error messages for invalid values.

/** The problem of a part of a setting, as it follows the setting's name. */
export class ValueProblem extends Error {
  override name = 'ValueProblem';
}

/** Parses a value, or returns its problem; `at` is the name of the value. */
export type ValueReader<T> = (value: unknown, at: string) => T;

type Shape = Readonly<Record<string, ValueReader<unknown>>>;
type Shaped<S extends Shape> = { readonly [Name in keyof S]: ReturnType<S[Name]> };

export function parseJsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValueProblem('it must be JSON');
  }
}

/** An object with these fields and no others. */
export function object<S extends Shape>(shape: S): ValueReader<Shaped<S>> {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ValueProblem(`${at} an object`);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
    if (unknown !== undefined) throw new ValueProblem(`there is no field ${JSON.stringify(unknown)}`);
    const fields = value as Record<string, unknown>;
    const entries = Object.entries(shape).map(
      ([name, read]) => [name, read(fields[name], `"${name}" must be`)] as const,
    );
    return Object.fromEntries(entries) as Shaped<S>;
  };
}

export function list<T>(item: ValueReader<T>): ValueReader<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length === 0) throw new ValueProblem(`${at} an array that is not empty`);
    return value.map((one) => item(one, `${at} an array of which each item is`));
  };
}

export function optional<T, F>(read: ValueReader<T>, fallback: F): ValueReader<T | F> {
  return (value, at) => (value === undefined || value === null ? fallback : read(value, at));
}

export const text: ValueReader<string> = (value, at) => {
  if (typeof value !== 'string' || value.trim() === '') throw new ValueProblem(`${at} a string that is not empty`);
  return value;
};

/** A string that `meaning` converts; undefined: it is invalid. */
export function createTextReader<T>(meaning: (text: string) => T | undefined, expects: string): ValueReader<T> {
  return (value, at) => {
    const found = typeof value === 'string' ? meaning(value) : undefined;
    if (found === undefined) throw new ValueProblem(`${at} ${expects}`);
    return found;
  };
}
