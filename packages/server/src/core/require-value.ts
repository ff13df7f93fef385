/** A value that must be there: a statement always returns the row, or the caller has put the value there. */
export function requireValue<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new Error('A value is missing that must be there.');
  return value;
}
