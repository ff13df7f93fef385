import { expect, test } from 'vitest';
import { statusProblem } from './rules.ts';

// shows: 4.10.1
test.each([
  ['a text', { status_text: 'Cooking' }, undefined],
  ['an empty text', { status_text: '' }, undefined],
  ['sixty characters and spaces', { status_text: `  ${'x'.repeat(60)} ` }, undefined],
  ['sixty-one characters', { status_text: 'x'.repeat(61) }, /60/],
  ['sixty characters of two units each', { status_text: '𝒳'.repeat(60) }, undefined],
  ['an emoji', { emoji_name: 'house' }, undefined],
  ['no emoji', { emoji_name: '' }, undefined],
  ['away', { away: false }, undefined],
  ['nothing', {}, /nothing to change/],
  ['a code alone', { emoji_code: '1f3e0' }, /emoji_name/],
  ['a type beside a text', { status_text: 'x', reaction_type: 'unicode_emoji' }, /emoji_name/],
] as const)('a status with %s', (_case, params, problem) => {
  if (problem) expect(statusProblem(params)).toMatch(problem);
  else expect(statusProblem(params)).toBeUndefined();
});
