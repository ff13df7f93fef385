import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('the log tells why a statement failed, and none of the content that was in it', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error('relation "gone" does not exist'), { code: '42P01' });
  log.error({ err: new Error('Failed query: insert … params: my secret words', { cause }) }, 'request failed');
  expect(lines.join()).toContain('relation \\"gone\\" does not exist');
  expect(lines.join()).toContain('42P01');
  expect(lines.join()).not.toContain('my secret words');
});
