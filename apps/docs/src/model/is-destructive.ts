import type { SampleCall } from './samples.ts';

const TAKES = /^(archive|deactivate|delete|regenerate|remove|unsubscribe)/;

/** Whether a call deletes or removes something: by its method, its path, its operationId, or its parameters. */
export const isDestructive = ({ method, path, operationId, params }: SampleCall): boolean =>
  method === 'delete' ||
  [operationId, ...path.split('/')].some((word) => TAKES.test(word)) ||
  Object.entries(params).some(([name, value]) => requestsRemoval(name, value));

/** A list named `delete` with something in it, or `remove` as one of the things that can be done. */
function requestsRemoval(name: string, value: unknown): boolean {
  if (TAKES.test(name)) return !(Array.isArray(value) && value.length === 0);
  return name === 'op' && typeof value === 'string' && TAKES.test(value);
}
