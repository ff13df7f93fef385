// Validators that `npm run generate` compiled. A module is loaded when its operation is first used.
import { createRequire } from 'node:module';
import type { OperationId } from '../../core/contract.ts';
import { lazy } from '../../core/lazy.ts';
import type { serializedFields } from '../../core/serialized-fields.ts';

/** Names of the modules of an operation. */
export interface CompiledOperation {
  readonly request: string;
  /** By status. Null: the response has no body. */
  readonly responses: Readonly<Record<string, string | null>>;
  /** Of an item of the list that is validated item by item, if the operation has one. */
  readonly item?: string;
}

/** The reason why a value is invalid, in the words of Ajv. */
export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Returns whether the value is valid, and keeps the first error. The validator of a request sets defaults in the value. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ValidationError[] | null;
}

const require = createRequire(import.meta.url);
// The same path works from the sources and from the compiled modules.
const FOLDER = '../../../generated/validators/';
const load = (name: string): Validator => require(`${FOLDER}${name}.cjs`) as Validator;
const operations = lazy(() => require(`${FOLDER}operations.json`) as Readonly<Record<OperationId, CompiledOperation>>);

interface Loaded {
  request?: Validator;
  item?: Validator;
  readonly responses: Map<number, Validator | null>;
}
const loaded = new Map<OperationId, Loaded>();

function loadedOf(id: OperationId): Loaded {
  const known = loaded.get(id) ?? { responses: new Map() };
  if (!loaded.has(id)) loaded.set(id, known);
  return known;
}

/** The validator of an operation's decoded parameters. */
export function requestValidator(id: OperationId): Validator {
  const known = loadedOf(id);
  known.request ??= load(operations()[id].request);
  return known.request;
}

/** The validator of an item of the list that is validated item by item. */
export function itemValidator(id: keyof typeof serializedFields): Validator {
  const known = loadedOf(id);
  if (known.item) return known.item;
  const { item } = operations()[id];
  if (item === undefined) throw new Error(`Nothing was compiled for the items of ${id}.`);
  known.item = load(item);
  return known.item;
}

/** The validator of a response body. Null: the response has no body. Undefined: the status is not documented. */
export function responseValidator(id: OperationId, status: number): Validator | null | undefined {
  const { responses } = loadedOf(id);
  const known = responses.get(status);
  if (known !== undefined) return known;
  const name = operations()[id].responses[status];
  if (name === undefined) return undefined;
  const validator = name === null ? null : load(name);
  responses.set(status, validator);
  return validator;
}
