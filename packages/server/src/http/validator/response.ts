import type { OperationId } from '../../core/contract.ts';
import { serializedFields } from '../../core/serialized-fields.ts';
import { itemValidator, responseValidator, type Validator } from './compiled.ts';
import { findProblems, type ValidationProblem } from './problem.ts';

/** A response that does not match the OpenAPI document. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
  readonly errors: readonly ValidationProblem[];

  constructor(message: string, errors: readonly ValidationProblem[] = []) {
    super(message);
    this.errors = errors;
  }
}

/** Responses from this status on report a failure of the server. They are sent without validation. */
const SERVER_ERROR = 500;

/** Returns how the body of a response differs from the document; undefined if it is valid. */
export function validateResponse(id: OperationId, status: number, body: unknown): InvalidResponseError | undefined {
  if (status >= SERVER_ERROR) return undefined;
  const validate = responseValidator(id, status);
  if (validate === undefined) return new InvalidResponseError(`${id} documents no response with status ${status}`);
  if (validate === null) {
    return body === undefined ? undefined : new InvalidResponseError('the response should not have a body');
  }
  if (body === undefined || body === null) return new InvalidResponseError('the response needs a body');
  return findError(validate, body, '');
}

/** Returns how an item of a list that is validated item by item differs from the document; undefined if it is valid. */
export function validateItem(id: keyof typeof serializedFields, item: object): InvalidResponseError | undefined {
  return findError(itemValidator(id), item, `/${serializedFields[id]}/*`);
}

function findError(validate: Validator, value: unknown, location: string): InvalidResponseError | undefined {
  const problems = findProblems(validate, value).map(({ path, message }) => ({ path: `${location}${path}`, message }));
  if (problems.length === 0) return undefined;
  return new InvalidResponseError(
    problems.map(({ path, message }) => `/response${path} ${message}`).join(', '),
    problems,
  );
}
