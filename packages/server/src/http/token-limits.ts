// What a token can be used for: first the operation as such, together with the roles, then its validated parameters.
import { operations } from '@parley/openapi';
import type { RequestHandler } from 'express';
import type { AccessToken } from '../core/access-token.ts';
import type { OperationId } from '../core/contract.ts';
import { fail } from '../core/errors.ts';
import { limitQueueTypes, operationProblem, streamProblem, type TokenProblem } from '../features/tokens/index.ts';
import { getCall, getCaller } from './call.ts';

/** Fails unless the token can be used for the operation. */
export function requireScope(id: OperationId, token: AccessToken): void {
  const problem = operationProblem(token, operations[id]);
  if (problem !== undefined) failInsufficientScope(id, problem);
}

/** Fails unless the request stays within the stream and the event types that its token is limited to. */
export const limitToToken: RequestHandler = (req, _res, next) => {
  const call = getCall(req);
  const { token } = getCaller(req);
  if (!token) return next();
  const problem = streamProblem(token, operations[call.id], call.params);
  if (problem !== undefined) failInsufficientScope(call.id, problem);
  if (call.id === 'registerQueue') {
    const types = limitQueueTypes(token, call.params);
    if ('problem' in types) return failInsufficientScope(call.id, types.problem);
    call.params = { ...call.params, ...types };
  }
  next();
};

function failInsufficientScope(id: OperationId, { text, limited_to }: TokenProblem): never {
  const required_scope = operations[id].scope ?? 'key';
  return fail('INSUFFICIENT_SCOPE', text, { required_scope, ...(limited_to && { limited_to }) });
}
