/**
 * The list in the response of each operation that is validated and serialized item by item. All items of such a list together can
 * be several MiB: each is JSON as soon as it is complete, and is not kept besides.
 */
export const serializedFields = { getMessages: 'messages' } as const;
