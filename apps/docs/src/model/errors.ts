import {
  BAD_REQUEST,
  type Document,
  getConstant,
  listBranches,
  listErrorResponses,
  listOperations,
  type OperationObject,
  type SchemaObject,
} from '@parley/openapi/document';
import { exampleOf } from './example.ts';
import { type Field, fieldsOf } from './fields.ts';
import { listReproductions, type Reproduction } from './reproduction.ts';
import { type ResponseExample, toMadeExample, toResponseExample } from './response-examples.ts';

/** An error code, as the page of an operation and its own page show it. */
export interface OperationError {
  code: string;
  status: number;
  meaning: string;
  /** The reasons that a `BAD_REQUEST` of the operation can have. */
  reasons: string[];
  example: ResponseExample;
}

export interface ErrorPage extends Omit<OperationError, 'reasons'> {
  /** Absent if no example was recorded with its call. */
  reproduction?: Reproduction;
  extraFields: Field[];
  /** The names of the fields that only some errors of the code have. */
  sometimes: string[];
  /** Operations that list it. Empty: any request can get it. */
  operations: { id: string; summary: string }[];
}

const ENVELOPE = new Set(['result', 'msg', 'code']);

/** Every error code of the document, in its order. */
export function errorPages(doc: Document): ErrorPage[] {
  const union = doc.components.schemas.Error;
  if (!union) return [];
  const operations = listOperations(doc).map(({ operation }) => ({
    id: operation.operationId,
    summary: operation.summary ?? operation.operationId,
    errorResponses: listOperationErrors(doc, operation),
  }));
  const reproductions = listReproductions(doc);
  return byCode(doc, listBranches(doc, union)).map(([schema, ...others]) => {
    const code = codeOf(doc, schema);
    const reproduction = reproductions.get(code);
    const found = operations.flatMap(({ errorResponses }) =>
      errorResponses.filter((errorResponse) => errorResponse.code === code),
    );
    return {
      code,
      status: found[0]?.status ?? statusInWords(schema),
      meaning: [schema, ...others].map(meaningOf).join(' '),
      example:
        found.find(({ example }) => !example.made)?.example ?? toMadeExample(code, makeErrorExample(doc, schema)),
      ...(reproduction && { reproduction }),
      ...extraFieldsOf(doc, [schema, ...others]),
      operations: operations
        .filter(({ errorResponses }) => errorResponses.some((one) => one.code === code))
        .map(({ id, summary }) => ({ id, summary })),
    };
  });
}

type Shapes = [SchemaObject, ...SchemaObject[]];

/** A code can have several shapes; they share a page, in the order of the first ones. */
function byCode(doc: Document, schemas: SchemaObject[]): Shapes[] {
  const shapes = new Map<string, Shapes>();
  for (const schema of schemas) {
    const same = shapes.get(codeOf(doc, schema));
    if (same) same.push(schema);
    else shapes.set(codeOf(doc, schema), [schema]);
  }
  return [...shapes.values()];
}

function extraFieldsOf(doc: Document, shapes: Shapes): Pick<ErrorPage, 'extraFields' | 'sometimes'> {
  const each = shapes.map((schema) => fieldsOf(doc, schema).filter(({ name }) => !ENVELOPE.has(name)));
  const isAlways = ({ name }: Field) => each.every((fields) => fields.some((field) => field.name === name));
  const all = [...new Map(each.flat().map((field) => [field.name, field])).values()];
  return {
    extraFields: all.map((field) => ({ ...field, required: field.required && isAlways(field) })),
    sometimes: all.filter((field) => !isAlways(field)).map(({ name }) => name),
  };
}

/** The errors that an operation lists, lowest status first, each code with its example and its first schema. */
export function listOperationErrors(doc: Document, operation: OperationObject): OperationError[] {
  return listErrorResponses(doc, operation).flatMap(({ status, schema: union, examples, reasons }) => {
    if (!union) return [];
    return byCode(doc, listBranches(doc, union)).map(([schema]) => {
      const code = codeOf(doc, schema);
      const example = examples[code];
      return {
        code,
        status: Number(status),
        meaning: meaningOf(schema),
        reasons: code === BAD_REQUEST ? reasons : [],
        example: example
          ? toResponseExample(doc, schema, example, code, makeErrorExample(doc, schema))
          : toMadeExample(code, makeErrorExample(doc, schema)),
      };
    });
  });
}

const codeOf = (doc: Document, schema: SchemaObject): string => String(getConstant(doc, schema, 'code') ?? 'UNKNOWN');

/** The meaning without its sentence about the status, which each page shows beside the code. */
const meaningOf = (schema: SchemaObject): string => (schema.description ?? '').replace(/\s*HTTP \d{3}\.\s*$/, '');

const statusInWords = (schema: SchemaObject): number =>
  Number(/HTTP (\d{3})/.exec(schema.description ?? '')?.[1] ?? 400);

function makeErrorExample(doc: Document, schema: SchemaObject): unknown {
  const { result, msg: _, code, ...rest } = exampleOf(doc, schema) as Record<string, unknown>;
  const sentence = /^.*?[.:;](?=\s|$)/s.exec(meaningOf(schema).replaceAll('`', ''))?.[0].replace(/[:;]$/, '.') ?? '';
  return { result, msg: sentence, code, ...rest };
}
