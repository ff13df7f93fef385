// A command that changes a flag on a page of a narrow.
import fc from 'fast-check';
import { expect } from 'vitest';
import { applies } from './flagging.ts';
import { type ModelStep, mustFail, step } from './step.ts';
import { ascending, canReadMessage, canSee, type ModelMessage, personOf, pick, rowOf, type World } from './world.ts';

interface Flagging {
  readonly by: number;
  readonly op: 'add' | 'remove';
  readonly flag: 'read' | 'starred' | 'collapsed';
  /** Undefined: no narrow at all. */
  readonly stream: number | undefined;
  readonly topic: string | undefined;
  /** A message, or a special anchor. */
  readonly anchor: number | 'oldest' | 'newest' | 'first_unread';
  readonly num_before: number;
  readonly num_after: number;
}

const flaggingNarrow = (params: Flagging): ModelStep =>
  step(`change flags of a narrow ${JSON.stringify(params)}`, (world) => flagNarrow(world, params));

async function flagNarrow(world: World, params: Flagging): Promise<void> {
  const { op, flag, num_before, num_after, topic } = params;
  const by = personOf(world, params.by);
  const stream = params.stream === undefined ? undefined : pick(world.streams, params.stream);
  const ids = ascending(world.messages.keys());
  const anchor = typeof params.anchor === 'number' ? (pick(ids, params.anchor) ?? 0) : params.anchor;
  const narrow = [
    ...(stream ? [['stream', stream.id] as const] : []),
    ...(topic === undefined ? [] : [['topic', topic] as const]),
  ];
  const flagging = by.api.updateMessageFlagsForNarrow({ anchor, num_before, num_after, narrow, op, flag });
  if (stream && !canSee(world, by.id, stream)) return mustFail(flagging);
  const isMeant = (letter: ModelMessage) =>
    canReadMessage(world, by.id, letter) &&
    (stream ? letter.stream === stream : rowOf(world, by.id, letter.id) !== undefined) &&
    (topic === undefined || letter.topic === topic.toLowerCase());
  const all = ids.filter((id) => isMeant(world.messages.get(id) as ModelMessage));
  const page = pageOf(all, params, positionOf(world, by.id, all, anchor));
  const answer = await flagging;
  const changed = page.ids.filter((id) => applies(world, by.id, { op, flag }, id));
  expect(answer).toEqual({
    processed_count: page.ids.length,
    updated_count: changed.length,
    first_processed_id: page.ids.at(0) ?? null,
    last_processed_id: page.ids.at(-1) ?? null,
    found_oldest: page.found_oldest,
    found_newest: page.found_newest,
  });
}

function positionOf(world: World, me: number, all: readonly number[], anchor: number | string): number {
  if (typeof anchor === 'number') return anchor;
  if (anchor === 'oldest') return 0;
  const unread = anchor === 'first_unread' ? all.find((id) => rowOf(world, me, id)?.read === false) : undefined;
  return unread ?? Number.MAX_SAFE_INTEGER;
}

function pageOf(all: readonly number[], { num_before, num_after }: Flagging, anchor: number) {
  const before = all.filter((id) => id < anchor);
  const after = all.filter((id) => id > anchor);
  return {
    ids: [
      ...before.slice(Math.max(0, before.length - num_before)),
      ...all.filter((id) => id === anchor),
      ...after.slice(0, num_after),
    ],
    found_oldest: before.length <= num_before,
    found_newest: after.length <= num_after,
  };
}

const pages = fc
  .record({
    by: fc.nat(4),
    op: fc.constantFrom('add' as const, 'remove' as const),
    flag: fc.constantFrom('read' as const, 'starred' as const, 'collapsed' as const),
    stream: fc.option(fc.nat(100), { nil: undefined }),
    topic: fc.option(fc.constantFrom('soup', 'Bread', 'stream events'), { nil: undefined }),
    anchor: fc.oneof(fc.nat(1000), fc.constantFrom('oldest' as const, 'newest' as const, 'first_unread' as const)),
    num_before: fc.constantFrom(0, 2, 5000),
    num_after: fc.constantFrom(0, 3, 5000),
  })
  .map(flaggingNarrow);

export const narrowing: fc.Arbitrary<ModelStep>[] = [pages, pages];
