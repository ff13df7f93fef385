import type { ValidationError, Validator } from './compiled.ts';

/** Where a value is invalid, and which rule it violates. */
export interface ValidationProblem {
  /** A JSON pointer. It includes the name of a missing or undocumented property. */
  readonly path: string;
  readonly message: string;
}

/** Validates a value. Returns no problem exactly if it is valid. */
export function findProblems(validate: Validator, value: unknown): readonly ValidationProblem[] {
  if (validate(value)) return [];
  const problems = (validate.errors ?? []).map(toProblem);
  return problems.length > 0 ? problems : [{ path: '', message: 'must be valid' }];
}

/** In the words of express-openapi-validator. */
function toProblem({ instancePath, keyword, message = '', params }: ValidationError): ValidationProblem {
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const { allowedValues } = params;
  return {
    path: property === undefined ? instancePath : `${instancePath}/${property}`,
    message: keyword === 'enum' && Array.isArray(allowedValues) ? `${message}: ${allowedValues.join(', ')}` : message,
  };
}
