import {
  type ChangeNote,
  type Document,
  type Example,
  type Method,
  type OperationObject,
  type OperationPlace,
  operationsOf,
  type ParameterObject,
  resolve,
  type SchemaObject,
} from './document.ts';
import { listOperationErrors, type OperationError } from './errors.ts';
import { exampleOf } from './example.ts';
import { sampleByOperation } from './example-values.ts';
import { type Field, fieldOf, fieldsOf, propertiesOf } from './fields.ts';
import { getSentParams } from './recipe.ts';
import { type ResponseExample, toMadeExample, toResponseExample } from './response-examples.ts';
import { type Sample, type SampleCall, samplesOf } from './samples.ts';

/** Everything the page of an operation says. */
export interface OperationPage {
  id: string;
  tag: string;
  method: Method;
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  access: { who: string; note: string };
  parameters: { title: string; note: string; fields: Field[] }[];
  response: { description: string; fields: Field[]; examples: ResponseExample[] };
  errors: OperationError[];
  changes: ChangeNote[];
  /** What the samples send. The console starts from it. */
  call: SampleCall;
  samples: Sample[];
}

/** A body with a file in it can only travel in the second way. */
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
/** What samples call something else by. */
const TAKEN = new Set(['api', 'email', 'apiKey', 'picture']);
/** The one operation that the key of an incoming webhook is good for. */
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
  return operationsOf(doc).map((place) => operationPage(doc, place));
}

function operationPage(doc: Document, place: OperationPlace): OperationPage {
  const { method, path, operation } = place;
  const answer = resolve(doc, operation.responses['200'] ?? {});
  const schema = answer.content?.['application/json']?.schema ?? {};
  const call = callOf(doc, place);
  return {
    id: operation.operationId,
    tag: operation.tags?.[0] ?? 'other',
    method,
    path,
    summary: operation.summary ?? operation.operationId,
    description: operation.description ?? '',
    deprecated: operation.deprecated === true,
    access: accessOf(operation, needsLogin(doc, operation)),
    parameters: parametersOf(doc, place),
    response: {
      description: answer.description ?? '',
      fields: payloadOf(doc, schema),
      examples: listResponseExamples(doc, operation, schema),
    },
    errors: listOperationErrors(doc, operation.responses),
    changes: operation['x-changes'] ?? [],
    call,
    samples: samplesOf(call),
  };
}

const needsLogin = (doc: Document, operation: OperationObject): boolean =>
  (operation.security ?? doc.security ?? []).length > 0;

function accessOf(operation: OperationObject, login: boolean): OperationPage['access'] {
  const { who, note } = operation['x-roles'] ?? {};
  const admitted = who ?? (login ? admittedBy(operation) : 'Anyone, without logging in');
  const notes = [
    login && operation.operationId !== OF_WEBHOOKS && 'Not for incoming webhooks, which only send messages.',
    operation['x-rate-limit'] === 'events' && 'It has a rate limit of its own; a long poll counts as one request.',
  ];
  return {
    who: note === undefined ? admitted : `${admitted}, ${note}`,
    note: notes.filter((one) => one !== false).join(' '),
  };
}

/** Whom the server lets in by their roles. */
function admittedBy(operation: OperationObject): string {
  const { requires, refuses = [], permission } = operation['x-roles'] ?? {};
  const having = permission === undefined ? '' : ` who have the permission \`${permission}\``;
  if (requires === 'administrator') return `Administrators and owners${having}`;
  if (requires === 'bot') return 'Bots';
  if (requires !== undefined) return `${capital(ROLES[requires] ?? requires)} and higher roles`;
  const out = refuses.map((role) => ROLES[role] ?? role);
  return out.length > 0 ? `Every account except ${out.join(' and ')}` : 'Every account of the organization';
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function parametersOf(doc: Document, { method, operation, parameters }: OperationPlace): OperationPage['parameters'] {
  const inPlace = (where: 'path' | 'query' | 'header') =>
    parameters
      .filter((parameter) => parameter.in === where)
      .map((one) => {
        const schema = valueSchemaOf(one);
        const described = { ...schema, ...(one.description !== undefined && { description: one.description }) };
        return fieldOf(
          doc,
          one.name,
          { ...described, ...(one.deprecated && { deprecated: true }) },
          one.required === true,
        );
      });
  const form = formOf(doc, operation);
  const groups = [
    { title: 'In the path', note: '', fields: inPlace('path') },
    { title: 'Query parameters', note: '', fields: inPlace('query') },
    {
      title: method === 'get' ? 'Parameters' : 'Form parameters',
      note: '',
      fields: form ? requiredFirst(fieldsOf(doc, form)) : [],
    },
    { title: 'Headers', note: '', fields: inPlace('header') },
  ];
  return groups.filter(({ fields }) => fields.length > 0);
}

/** The schema of a value before it is encoded. */
const valueSchemaOf = ({ schema = {} }: ParameterObject): SchemaObject => schema.contentSchema ?? schema;

const requiredFirst = (fields: Field[]): Field[] => [
  ...fields.filter((one) => one.required),
  ...fields.filter((one) => !one.required),
];

export function formOf(doc: Document, operation: OperationObject): SchemaObject | undefined {
  const content = operation.requestBody && resolve(doc, operation.requestBody).content;
  return FORMS.map((type) => content?.[type]?.schema).find((schema) => schema !== undefined);
}

/** The fields an operation answers, without those that every success has. */
function payloadOf(doc: Document, schema: SchemaObject): Field[] {
  const envelope = new Set(Object.keys(doc.components.schemas.Success?.properties ?? {}));
  return fieldsOf(doc, schema).filter(({ name }) => !envelope.has(name));
}

function listResponseExamples(doc: Document, operation: OperationObject, schema: SchemaObject): ResponseExample[] {
  const made = exampleOf(doc, schema);
  const shown = Object.entries(listExamplesIn(doc, operation)).map(([name, one]) =>
    toResponseExample(doc, schema, one, name, made),
  );
  return shown.length > 0 ? shown : [toMadeExample('Answer', made)];
}

const listExamplesIn = (doc: Document, operation: OperationObject): Record<string, Example> =>
  resolve(doc, operation.responses['200'] ?? {}).content?.['application/json']?.examples ?? {};

/** What can be sent, but for headers: name, schema, and whether it must be. */
export function requestSchemas(
  doc: Document,
  { operation, parameters }: OperationPlace,
): [string, SchemaObject, boolean][] {
  const form = formOf(doc, operation);
  const { properties, required } = form ? propertiesOf(doc, form) : { properties: {}, required: new Set<string>() };
  return [
    ...parameters
      .filter((one) => one.in === 'path' || one.in === 'query')
      .map((one): [string, SchemaObject, boolean] => [one.name, valueSchemaOf(one), one.required === true]),
    ...Object.entries(properties).map(([name, schema]): [string, SchemaObject, boolean] => [
      name,
      schema,
      required.has(name),
    ]),
  ];
}

function callOf(doc: Document, place: OperationPlace): SampleCall {
  const { method, path, operation } = place;
  const needed = requestSchemas(doc, place).filter(([, , required]) => required);
  const isFile = ([, schema]: (typeof needed)[number]) => resolve(doc, schema).format === 'binary';
  const files = needed.filter(isFile).map(([name]) => name);
  const texts = needed.filter((one) => !isFile(one));
  const made = Object.fromEntries(texts.map(([name, schema]) => [name, exampleOf(doc, schema, name)]));
  const example = recordedParams(doc, operation) ?? sampleByOperation[operation.operationId];
  const schema = resolve(doc, operation.responses['200'] ?? {}).content?.['application/json']?.schema ?? {};
  const answered = payloadOf(doc, schema).filter((field) => field.required);
  const names = answered.map(({ name }) => name);
  return {
    operationId: operation.operationId,
    method,
    path,
    needsLogin: needsLogin(doc, operation),
    params: example ? { ...pathOnly(path, made), ...example } : made,
    ...(files.length > 0 && { files }),
    picks: names.length <= 3 && names.every((name) => /^[a-z]\w*$/.test(name) && !TAKEN.has(name)) ? names : [],
  };
}

/** What was sent for the first answer shown, so that sample and answer belong together. */
function recordedParams(doc: Document, operation: OperationObject): Record<string, unknown> | undefined {
  const first = firstExample(doc, operation);
  return first?.['x-request']?.params && getSentParams(first);
}

/** The example of success that a page begins with. */
export const firstExample = (doc: Document, operation: OperationObject): Example | undefined =>
  Object.values(listExamplesIn(doc, operation))[0];

const pathOnly = (path: string, params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => path.includes(`{${name}}`)));
