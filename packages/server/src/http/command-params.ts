// The check that a request gets, for parameters that come from elsewhere: same decoder, same document, same refusals.
import type { OperationId, Params } from '../core/contract.ts';
import { decode, getParameters } from './decode.ts';
import { validateRequest } from './validator/index.ts';

/** The parameters as the operation's handler would get them; refuses what a request with them would be refused for. */
export function validateCommandParams<Id extends OperationId>(
  id: Id,
  given: Readonly<Record<string, unknown>>,
): Params<Id> {
  const { params } = decode(id, { path: {}, query: [], body: { ...given } });
  return validateRequest(id, params) as Params<Id>;
}

export function isParameter(id: OperationId, name: string): boolean {
  return Object.hasOwn(getParameters(id), name);
}

/** What an operator typed for a parameter: JSON, or a bare word where the parameter is a text. */
export function parseCommandParam(id: OperationId, name: string, text: string): unknown {
  const kinds = isParameter(id, name) ? getParameters(id)[name]?.kinds : undefined;
  const value = jsonOf(text);
  if (value === undefined) return text;
  // A name may look like a number; only quotes make it JSON.
  return kinds?.every((kind) => kind === 'string') && typeof value !== 'string' ? text : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
