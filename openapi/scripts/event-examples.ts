import type { BundledDocument, Node } from './document.ts';

/**
 * Puts the examples of events into their schemas: the values as JSON Schema has them, and beside them, in the same order, what
 * happened, with the id that the queue gave. Every event has one.
 */
export function hangEventExamples(doc: BundledDocument, byName: Record<string, Node>): void {
  const { schemas } = doc.components;
  const events = schemas.Event.oneOf.map(({ $ref }: Node) => $ref.split('/').at(-1)) as string[];
  const strangers = Object.keys(byName).filter((name) => !events.includes(name));
  if (strangers.length > 0) throw new Error(`Examples of events that do not exist: ${strangers.join(', ')}`);
  for (const name of events) {
    const own = Object.entries<Node>(byName[name] ?? {});
    if (own.length === 0) throw new Error(`${name} has no example`);
    schemas[name].examples = own.map(([, { value }]) => withoutId(value));
    schemas[name]['x-recorded'] = own.map(([example, { value, ...recipe }]) => ({
      name: example,
      id: value?.id,
      ...recipe,
    }));
  }
}

/** The id is the queue's, not the event's: the schema of a kind of events does not have it. */
function withoutId(value: Node): Node {
  const { id: _, ...event } = value ?? {};
  return event;
}
