import { type DeliveredExample, type Document, getSchemaName } from '../src/document/index.ts';

/** An event as the file of examples has it: how it was made, and what a queue delivered. */
type EventExampleEntry = Omit<DeliveredExample, 'name' | 'id'> & { value?: { id?: number } };

/**
 * Puts the examples of events into their schemas: the values as JSON Schema has them, and beside them, in the same order, what
 * happened, with the id that the queue gave. Every event has one.
 */
export function hangEventExamples(doc: Document, byName: Record<string, Record<string, EventExampleEntry>>): void {
  const { schemas } = doc.components;
  const events = (schemas.Event?.oneOf ?? []).map(getSchemaName).filter((name) => name !== undefined);
  const unknown = Object.keys(byName).filter((name) => !events.includes(name));
  if (unknown.length > 0) throw new Error(`Examples of events that do not exist: ${unknown.join(', ')}`);
  for (const name of events) {
    const own = Object.entries(byName[name] ?? {});
    if (own.length === 0) throw new Error(`${name} has no example`);
    const schema = schemas[name] ?? {};
    schema.examples = own.map(([, { value }]) => withoutId(value));
    schema['x-recorded'] = own.map(([example, { value, ...recipe }]) => ({
      name: example,
      id: value?.id as number,
      ...recipe,
    }));
  }
}

/** The id is the queue's, not the event's: the schema of a kind of events does not have it. */
function withoutId(value: EventExampleEntry['value']): object {
  const { id: _, ...event } = value ?? {};
  return event;
}
