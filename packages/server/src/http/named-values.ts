// Values by names that a client chose.

/** No name is that of an inherited method. V8 looks such an object's fields up by their place, and those of `Object.create(null)` by hash. */
export const NamedValues = function NamedValues() {} as unknown as new () => Record<string, unknown>;
NamedValues.prototype = Object.freeze(Object.create(null));
