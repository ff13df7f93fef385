import type { OperationId } from '../../core/contract.ts';
import { responseValidator } from './compiled.ts';
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
  const problems = findProblems(validate, body);
  if (problems.length === 0) return undefined;
  return new InvalidResponseError(
    problems.map(({ path, message }) => `/response${path} ${message}`).join(', '),
    problems,
  );
}
