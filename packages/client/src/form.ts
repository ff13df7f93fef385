/**
 * The wire encoding of parameters, in queries and form bodies alike: strings as they are, everything else as JSON.
 * Undefined parameters are omitted.
 */
export const encodeForm = (fields: object): URLSearchParams => filled(new URLSearchParams(), fields);

/** The same for a body: with a file among its parameters it is `multipart/form-data`. */
export const encodeBody = (fields: object): URLSearchParams | FormData =>
  Object.values(fields).some((value) => value instanceof Blob) ? filled(new FormData(), fields) : encodeForm(fields);

function filled<Form extends { append(name: string, value: string | Blob): void }>(form: Form, fields: object): Form {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, value instanceof Blob ? value : textOf(value, name));
  }
  return form;
}

/** The encoding of a value. A stream name that looks like ids is quoted: otherwise the server would take it for ids. */
const textOf = (value: unknown, name?: string): string =>
  typeof value === 'string' && (name !== 'to' || /^[^-\d["]/.test(value)) ? value : JSON.stringify(value);
