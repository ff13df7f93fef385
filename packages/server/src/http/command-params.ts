// Validates parameters from elsewhere as those of a request: same decoder, same document, same errors.
import type { OperationId, Params } from '../core/contract.ts';
import { decode, getParameters } from './decode.ts';
import { validateRequest } from './validator/index.ts';

/** The parameters as the operation's handler gets them; fails as a request with them would. */
export function validateCommandParams<Id extends OperationId>(
  id: Id,
  body: Readonly<Record<string, unknown>>,
): Params<Id> {
  const { params } = decode(id, { path: {}, query: [], body: { ...body } });
  return validateRequest(id, params) as Params<Id>;
}

export function isParameter(id: OperationId, name: string): boolean {
  return Object.hasOwn(getParameters(id), name);
}

/** The value that an operator typed for a parameter: JSON, or a bare word where the parameter is a string. */
export function parseCommandParam(id: OperationId, name: string, text: string): unknown {
  const kinds = isParameter(id, name) ? getParameters(id)[name]?.kinds : undefined;
  const value = jsonOf(text);
  if (value === undefined) return text;
  // A name can look like a number; only quotes make it JSON.
  return kinds?.every((kind) => kind === 'string') && typeof value !== 'string' ? text : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
