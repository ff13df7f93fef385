/**
 * The wire encoding of parameters, in queries and form bodies alike: texts travel as they are, everything else as JSON.
 * Parameters that are undefined do not travel.
 */
export const encodeForm = (fields: object): URLSearchParams => filled(new URLSearchParams(), fields);

/** The same for a body: one with a file among its parameters travels as `multipart/form-data`. */
export const encodeBody = (fields: object): URLSearchParams | FormData =>
  Object.values(fields).some((value) => value instanceof Blob) ? filled(new FormData(), fields) : encodeForm(fields);

function filled<Form extends { append(name: string, value: string | Blob): void }>(form: Form, fields: object): Form {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, value instanceof Blob ? value : textOf(value, name));
  }
  return form;
}

/** As a value travels. The name of a stream that looks like ids goes in quotes: without them it would be taken for these. */
const textOf = (value: unknown, name?: string): string =>
  typeof value === 'string' && (name !== 'to' || /^[^-\d["]/.test(value)) ? value : JSON.stringify(value);
