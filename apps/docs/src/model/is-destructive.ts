import type { SampleCall } from './samples.ts';

const TAKES = /^(archive|deactivate|delete|regenerate|remove|unsubscribe)/;

/** Whether a call takes something away: by its method, by what the document calls it, or by what it is asked to do. */
export const isDestructive = ({ method, path, operationId, params }: SampleCall): boolean =>
  method === 'delete' ||
  [operationId, ...path.split('/')].some((word) => TAKES.test(word)) ||
  Object.entries(params).some(([name, value]) => asksToTake(name, value));

/** A list named `delete` with something in it, or `remove` as one of the things that can be done. */
function asksToTake(name: string, value: unknown): boolean {
  if (TAKES.test(name)) return !(Array.isArray(value) && value.length === 0);
  return name === 'op' && typeof value === 'string' && TAKES.test(value);
}
