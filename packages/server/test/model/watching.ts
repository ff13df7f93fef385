// A command that adds an alert word, or removes it.
import fc from 'fast-check';
import { type ModelStep, step } from './step.ts';
import { personOf, type World } from './world.ts';

const watching = fc
  .record({ by: fc.nat(4), op: fc.constantFrom('add' as const, 'remove' as const) })
  .map((params): ModelStep => step(`watch ${JSON.stringify(params)}`, (world) => watch(world, params)));

async function watch(world: World, params: { by: number; op: 'add' | 'remove' }): Promise<void> {
  const by = personOf(world, params.by);
  const words = { alert_words: ['AHOY'] };
  if (params.op === 'add') {
    await by.api.addAlertWords(words);
    world.watchers.add(by.id);
  } else {
    await by.api.removeAlertWords(words);
    world.watchers.delete(by.id);
  }
}

export const watchings: fc.Arbitrary<ModelStep>[] = [watching, watching];
