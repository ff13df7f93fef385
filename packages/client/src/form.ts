/**
 * The wire encoding of parameters, in queries and form bodies alike: texts travel as they are, everything else as JSON.
 * Parameters that are undefined do not travel.
 */
export function encodeForm(fields: object): URLSearchParams {
  return new URLSearchParams(given(fields).map(([name, value]) => [name, textOf(value)]));
}

/** The same for a body: one with a file among its parameters travels as `multipart/form-data`. */
export function encodeBody(fields: object): URLSearchParams | FormData {
  if (!hasFile(fields)) return encodeForm(fields);
  const form = new FormData();
  for (const [name, value] of given(fields)) form.set(name, value instanceof Blob ? value : textOf(value));
  return form;
}

const hasFile = (fields: object): boolean => Object.values(fields).some((value) => value instanceof Blob);

const given = (fields: object): [string, unknown][] =>
  Object.entries(fields).filter(([, value]) => value !== undefined);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
