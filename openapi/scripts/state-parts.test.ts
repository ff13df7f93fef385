import { expect, test } from 'vitest';
import type { Document } from '../src/document/index.ts';
import { statePartTypes } from './state-parts.ts';

const types = (parts: Record<string, string[]>, stateTypes = ['realm', ...Object.keys(parts)]) =>
  statePartTypes({
    components: {
      schemas: {
        State: { properties: { streams: {}, realm_name: {}, realm_uri: {} }, 'x-parts': parts },
        StateType: { enum: stateTypes },
      },
    },
  } as unknown as Document);

test('each part has its properties, and realm those of no other part', () => {
  expect(types({ stream: ['streams'] })).toContain("stream: 'streams';\n  realm: 'realm_name' | 'realm_uri';");
});

test('the generator fails for a property that does not exist, and for a part that is not listed', () => {
  expect(() => types({ stream: ['streems'] })).toThrow('names what does not exist: streems');
  expect(() => types({ stream: ['streams'] }, ['stream', 'drafts'])).toThrow('says nothing of drafts');
});
