import {
  type ChangeNote,
  type Document,
  type Example,
  getBodySchema,
  getSuccessResponse,
  getValueSchema,
  type HttpMethod,
  listOperations,
  listRequestFields,
  type OperationEntry,
  type OperationObject,
  requiresCredentials,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';
import { listOperationErrors, type OperationError } from './errors.ts';
import { exampleOf } from './example.ts';
import { sampleByOperation } from './example-values.ts';
import { type Field, fieldOf, fieldsOf } from './fields.ts';
import { type CallerOutcome, listPermissions } from './permissions.ts';
import { getSentParams } from './recipe.ts';
import { type ResponseExample, toMadeExample, toResponseExample } from './response-examples.ts';
import { type Sample, type SampleCall, samplesOf } from './samples.ts';

/** The content of the page of an operation. */
export interface OperationPage {
  id: string;
  tag: string;
  method: HttpMethod;
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  access: { who: string; note: string };
  permissions: CallerOutcome[];
  /** The scope that a token needs; undefined if the operation needs no credentials. */
  scope: string | undefined;
  /** Whether a token that is limited to a stream can be used for it. */
  isForLimitedTokens: boolean;
  parameters: { title: string; note: string; fields: Field[] }[];
  response: { description: string; fields: Field[]; examples: ResponseExample[] };
  errors: OperationError[];
  changes: ChangeNote[];
  /** What the samples send. The console starts from it. */
  call: SampleCall;
  samples: Sample[];
}

/** Names that samples use for other variables. */
const TAKEN = new Set(['api', 'email', 'apiKey', 'picture']);
/** The only operation that the key of an incoming webhook can be used for. */
const OF_WEBHOOKS = 'sendMessage';
const ROLES: Record<string, string> = {
  guest: 'guests',
  bot: 'bots',
  member: 'members',
  moderator: 'moderators',
  administrator: 'administrators',
  owner: 'owners',
};

export function operationPages(doc: Document): OperationPage[] {
  return listOperations(doc).map((entry) => operationPage(doc, entry));
}

function operationPage(doc: Document, entry: OperationEntry): OperationPage {
  const { method, path, operation } = entry;
  const { response, schema = {} } = getSuccessResponse(doc, operation);
  const call = callOf(doc, entry);
  return {
    id: operation.operationId,
    tag: operation.tags?.[0] ?? 'other',
    method,
    path,
    summary: operation.summary ?? operation.operationId,
    description: operation.description ?? '',
    deprecated: operation.deprecated === true,
    access: accessOf(operation, requiresCredentials(doc, operation)),
    permissions: listPermissions(doc, operation),
    scope: operation['x-scope'],
    isForLimitedTokens: operation['x-token-limit'] !== undefined,
    parameters: parametersOf(doc, entry),
    response: {
      description: response.description ?? '',
      fields: payloadOf(doc, schema),
      examples: listResponseExamples(doc, operation, schema),
    },
    errors: listOperationErrors(doc, operation),
    changes: operation['x-changes'] ?? [],
    call,
    samples: samplesOf(call),
  };
}

function accessOf(operation: OperationObject, login: boolean): OperationPage['access'] {
  const { who, note } = operation['x-roles'] ?? {};
  const allowed = who ?? (login ? allowedRoles(operation) : 'All clients, without credentials');
  const notes = [
    login && operation.operationId !== OF_WEBHOOKS && 'Incoming webhooks cannot call it: they can only send messages.',
    login && scopeNote(operation),
    operation['x-rate-limit'] === 'events' && 'It has its own rate limit. A long poll counts as one request.',
  ];
  return {
    who: note === undefined ? allowed : `${allowed}, ${note}`,
    note: notes.filter((one) => one !== false).join(' '),
  };
}

/** The scope that a token needs. */
function scopeNote({ 'x-scope': scope, 'x-token-limit': limit }: OperationObject): string {
  if (scope === 'key') return 'It needs the API key of the account. Tokens cannot call it.';
  const limited = limit === undefined ? '' : ', and can be limited to a stream';
  return `A [token](/docs/guides/tokens/) needs the scope \`${scope}\`${limited}.`;
}

/** The users whose roles allow the call. */
function allowedRoles(operation: OperationObject): string {
  const { requires, refuses = [], permission } = operation['x-roles'] ?? {};
  const having = permission === undefined ? '' : ` who have the permission \`${permission}\``;
  if (requires === 'administrator') return `Administrators and owners${having}`;
  if (requires === 'bot') return 'Bots';
  if (requires !== undefined) return `${capital(ROLES[requires] ?? requires)} and higher roles`;
  const out = refuses.map((role) => ROLES[role] ?? role);
  return out.length > 0 ? `Every account except ${out.join(' and ')}` : 'Every account of the organization';
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function parametersOf(doc: Document, { method, operation, parameters }: OperationEntry): OperationPage['parameters'] {
  const fieldsIn = (where: 'path' | 'query' | 'header') =>
    parameters
      .filter((parameter) => parameter.in === where)
      .map((one) => {
        const schema = getValueSchema(one);
        const described = { ...schema, ...(one.description !== undefined && { description: one.description }) };
        return fieldOf(
          doc,
          one.name,
          { ...described, ...(one.deprecated && { deprecated: true }) },
          one.required === true,
        );
      });
  const form = getBodySchema(doc, operation);
  const groups = [
    { title: 'In the path', note: '', fields: fieldsIn('path') },
    { title: 'Query parameters', note: '', fields: fieldsIn('query') },
    {
      title: method === 'get' ? 'Parameters' : 'Form parameters',
      note: '',
      fields: form ? requiredFirst(fieldsOf(doc, form)) : [],
    },
    { title: 'Headers', note: '', fields: fieldsIn('header') },
  ];
  return groups.filter(({ fields }) => fields.length > 0);
}

const requiredFirst = (fields: Field[]): Field[] => [
  ...fields.filter((one) => one.required),
  ...fields.filter((one) => !one.required),
];

/** The fields of the response, without those of every success. */
function payloadOf(doc: Document, schema: SchemaObject): Field[] {
  const envelope = new Set(Object.keys(doc.components.schemas.Success?.properties ?? {}));
  return fieldsOf(doc, schema).filter(({ name }) => !envelope.has(name));
}

function listResponseExamples(doc: Document, operation: OperationObject, schema: SchemaObject): ResponseExample[] {
  const made = exampleOf(doc, schema);
  const shown = Object.entries(listExamplesIn(doc, operation)).map(([name, one]) =>
    toResponseExample(doc, schema, one, name, made),
  );
  return shown.length > 0 ? shown : [toMadeExample('Response', made)];
}

const listExamplesIn = (doc: Document, operation: OperationObject): Record<string, Example> =>
  getSuccessResponse(doc, operation).examples;

function callOf(doc: Document, entry: OperationEntry): SampleCall {
  const { method, path, operation } = entry;
  const needed = listRequestFields(doc, entry).filter(({ required }) => required);
  const isFile = ({ schema }: { schema: SchemaObject }) => resolve(doc, schema).format === 'binary';
  const files = needed.filter(isFile).map(({ name }) => name);
  const texts = needed.filter((one) => !isFile(one));
  const made = Object.fromEntries(texts.map(({ name, schema }) => [name, exampleOf(doc, schema, name)]));
  const example = recordedParams(doc, operation) ?? sampleByOperation[operation.operationId];
  const { schema = {} } = getSuccessResponse(doc, operation);
  const responseFields = payloadOf(doc, schema).filter((field) => field.required);
  const names = responseFields.map(({ name }) => name);
  return {
    operationId: operation.operationId,
    method,
    path,
    needsLogin: requiresCredentials(doc, operation),
    params: example ? { ...pathOnly(path, made), ...example } : made,
    ...(files.length > 0 && { files }),
    picks: names.length <= 3 && names.every((name) => /^[a-z]\w*$/.test(name) && !TAKEN.has(name)) ? names : [],
  };
}

/** The parameters of the first example, so that the sample and the response match. */
function recordedParams(doc: Document, operation: OperationObject): Record<string, unknown> | undefined {
  const first = firstExample(doc, operation);
  return first?.['x-request']?.params && getSentParams(first);
}

/** The first example of a success. */
export const firstExample = (doc: Document, operation: OperationObject): Example | undefined =>
  Object.values(listExamplesIn(doc, operation))[0];

const pathOnly = (path: string, params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => path.includes(`{${name}}`)));
