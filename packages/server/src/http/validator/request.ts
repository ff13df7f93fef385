import type { OperationId } from '../../core/contract.ts';
import { fail, failInvalid } from '../../core/errors.ts';
import { getParameters, SentFile } from '../decode.ts';
import { NamedValues } from '../named-values.ts';
import { requestValidator } from './compiled.ts';
import { findProblems, type ValidationProblem } from './problem.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** In the document a file is a string of bytes: this string represents it while the parameters are validated. */
const FILE = 'file';

/**
 * Validates decoded parameters, and returns them with the defaults that the document declares.
 *
 * Throws an ApiError (`REQUEST_VARIABLE_MISSING`, `REQUEST_VARIABLE_INVALID` or `BAD_REQUEST`) that names the first
 * invalid parameter.
 */
export function validateRequest(id: OperationId, params: Parameters): Record<string, unknown> {
  const fields = new NamedValues();
  const files: [string, SentFile][] = [];
  for (const [name, value] of Object.entries(params)) {
    fields[name] = value instanceof SentFile ? FILE : value;
    if (value instanceof SentFile) files.push([name, value]);
  }
  const [problem] = findProblems(requestValidator(id), fields);
  if (problem) failRequest(id, params, problem);
  for (const [name, file] of files) fields[name] = file;
  return fields;
}

function failRequest(id: OperationId, params: Parameters, { path, message: rule }: ValidationProblem): never {
  const [, name = '', ...inside] = path.split('/');
  const parameter = getParameters(id)[name];
  if (!parameter) failInvalid(`The parameters cannot be read: ${rule}.`);
  if (inside.length === 0 && !(name in params)) {
    fail('REQUEST_VARIABLE_MISSING', `Parameter "${name}" is missing.`, { var_name: name });
  }
  const location = inside.length > 0 ? ` (at ${inside.join('.')}: ${rule})` : '';
  const message = `Parameter "${name}" must be ${parameter.expects}${location}.`;
  if (parameter.invalid === 'REQUEST_VARIABLE_INVALID') {
    fail('REQUEST_VARIABLE_INVALID', message, { var_name: name, bad_value: params[name] });
  }
  return failInvalid(message);
}
