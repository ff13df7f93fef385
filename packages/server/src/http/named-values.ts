/**
 * The parameters of a request by their names. No field is inherited, so `constructor` is none unless it was set. V8 finds the fields of these
 * objects by their position, and those of `Object.create(null)` by a hash.
 */
export class NamedValues {
  [name: string]: unknown;
}

Object.setPrototypeOf(NamedValues.prototype, null);
Reflect.deleteProperty(NamedValues.prototype, 'constructor');
