// Every event in the document is one that a queue delivered.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChangingDemo, startChangingDemo } from './changing-demo.ts';
import type { Demo } from './demo.ts';
import { type EventExample, eventExamples } from './examples.ts';
import { carriedOut, filledIn, withoutChance } from './recipes.ts';
import { recordEvent } from './record-examples.ts';

const bySchema = new Map<string, EventExample[]>();
for (const example of eventExamples) bySchema.set(example.schema, [...(bySchema.get(example.schema) ?? []), example]);
/** No call causes these: time does, or no queue is left after them. */
const BY_HAND = ['HeartbeatEvent', 'RealmDeactivatedEvent'];

let changing: ChangingDemo;
beforeAll(async () => {
  changing = await startChangingDemo();
});
afterAll(() => changing.close());

describe.each([...bySchema])('%s', (schema, examples) => {
  if (!BY_HAND.includes(schema))
    test('is delivered as the document shows it', async () => {
      const demo = await changing.restart();
      try {
        for (const example of examples) await isHeard(demo, example);
      } finally {
        await demo.close();
      }
    });

  test('is shown with each of its ops', () => {
    const shown = examples.map(({ value }) => (value as { op?: string }).op ?? []);
    expect(shown.flat()).toEqual(expect.arrayContaining(examples[0]?.ops ?? []));
  });
});

async function isHeard(demo: Demo, { schema, name, type, ops, by, request, recipes, value }: EventExample) {
  const earlier = await carriedOut(demo, recipes);
  const { body: queue } = await demo.call({
    as: by,
    operation: 'registerQueue',
    params: { event_types: [type], ...TAKES },
  });
  const { queue_id, last_event_id } = queue;
  await carriedOut(demo, [filledIn(request ?? {}, earlier)]);
  const params = { queue_id, last_event_id, dont_block: true };
  const { body } = await demo.call({ as: by, operation: 'getEvents', params });
  const heard = (body.events as { type: string; op?: string }[]).filter((event) => isMeant(event, name, ops));
  if (recordEvent(schema, name, heard[0])) return;
  expect(withoutChance(heard[0] ?? body), `${schema}.${name}`).toEqual(withoutChance(value));
}

/** The options of a current client. */
const TAKES = {
  apply_markdown: true,
  client_capabilities: { notification_settings_null: true, bulk_message_deletion: true },
};

/** An example with the name of an `op` is of that one. */
const isMeant = ({ op }: { op?: string }, name: string, ops: readonly string[]): boolean =>
  op === undefined ? ops.length === 0 : ops.includes(name) ? op === name : ops.includes(op);
