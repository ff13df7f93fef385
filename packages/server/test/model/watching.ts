// A command that adds an alert word, or removes it.
import fc from 'fast-check';
import { type ModelStep, step } from './step.ts';
import { personOf, type World } from './world.ts';

const watching = fc
  .record({ by: fc.nat(4), op: fc.constantFrom('add' as const, 'remove' as const) })
  .map((given): ModelStep => step(`watch ${JSON.stringify(given)}`, (world) => watch(world, given)));

async function watch(world: World, given: { by: number; op: 'add' | 'remove' }): Promise<void> {
  const by = personOf(world, given.by);
  const words = { alert_words: ['AHOY'] };
  if (given.op === 'add') {
    await by.api.addAlertWords(words);
    world.watchers.add(by.id);
  } else {
    await by.api.removeAlertWords(words);
    world.watchers.delete(by.id);
  }
}

export const watchings: fc.Arbitrary<ModelStep>[] = [watching, watching];
