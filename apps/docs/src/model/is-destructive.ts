import type { SampleCall } from './samples.ts';

const REMOVES = /^(archive|deactivate|delete|regenerate|remove|unsubscribe)/;

/** Whether a call deletes or removes something: by its method, its path, its operationId, or its parameters. */
export const isDestructive = ({ method, path, operationId, params }: SampleCall): boolean =>
  method === 'delete' ||
  [operationId, ...path.split('/')].some((word) => REMOVES.test(word)) ||
  Object.entries(params).some(([name, value]) => requestsRemoval(name, value));

/** Whether the parameter is a non-empty array with a name such as `delete`, or an `op` such as `remove`. */
function requestsRemoval(name: string, value: unknown): boolean {
  if (REMOVES.test(name)) return !(Array.isArray(value) && value.length === 0);
  return name === 'op' && typeof value === 'string' && REMOVES.test(value);
}
