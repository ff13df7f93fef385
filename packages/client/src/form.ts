/**
 * The wire encoding of parameters, in queries and form bodies alike: texts travel as they are, everything else as JSON.
 * Parameters that are undefined do not travel.
 */
export function encodeForm(fields: object): URLSearchParams {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
