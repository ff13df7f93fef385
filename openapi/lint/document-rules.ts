// Rules of the document that no ready-made rule holds. They judge the bundle: what a stranger's program reads.
import {
  type Document,
  FORM_TYPE,
  getProperties,
  isSentAsJson,
  JSON_TYPE,
  listOperations,
  listResponses,
  MULTIPART_TYPE,
  type OperationEntry,
  resolve,
  type SchemaObject,
} from '../src/document/index.ts';
import {
  findBudgetProblems,
  findChangeNoteProblems,
  findReasonProblems,
  findRoleProblems,
  findScopeProblems,
} from './extensions.ts';
import { type DocumentProblem, type DocumentRule, pathOf } from './problem.ts';

/** What Redocly gives a visitor. */
interface VisitorContext {
  location: { child(path: string[]): unknown };
  report(problem: { message: string; location: unknown }): void;
}

const toVisitor =
  <Options>(rule: DocumentRule<Options>) =>
  (options: Options) => ({
    Root(doc: Document, { report, location }: VisitorContext) {
      for (const { message, path } of rule(doc, options)) report({ message, location: location.child(path) });
    },
  });

/** The rules, by the names that `redocly.yaml` lists. */
export const rules = {
  'json-body-first': toVisitor(findBodiesWithoutJsonFirst),
  'json-response-first': toVisitor(findResponsesWithoutJsonFirst),
  'text-headers': toVisitor(findHeadersOfNumbers),
  'json-form-fields': toVisitor(findFieldsWithoutEncoding),
  'described-form-fields': toVisitor(findFieldsWithoutDescription),
  'described-objects': describedObjects,
  'examples-of-every-answer': toVisitor(findMissingExamples),
  'unique-schema-names': toVisitor(findSharedSchemaNames),
  'operation-id-verb-noun': toVisitor(findOperationIdProblems),
  'change-notes': toVisitor(findChangeNoteProblems),
  budgets: toVisitor(findBudgetProblems),
  scopes: toVisitor(findScopeProblems),
  roles: toVisitor(findRoleProblems),
  reasons: toVisitor(findReasonProblems),
};

/** The media types of an operation's body with the fields of each. */
function listMedia(doc: Document, { operation }: OperationEntry) {
  return Object.entries(resolve(doc, operation.requestBody ?? {}).content ?? {}).map(([type, media]) => ({
    type,
    media,
    fields: getProperties(doc, media.schema ?? {}).properties,
  }));
}

/** Most generators use the first media type of a body; JSON is the one that all of them encode right. Files need a form. */
function findBodiesWithoutJsonFirst(doc: Document): DocumentProblem[] {
  const hasFile = (fields: Record<string, SchemaObject>) =>
    Object.values(fields).some((field) => resolve(doc, field).format === 'binary');
  return listOperations(doc).flatMap((entry) => {
    const [first] = listMedia(doc, entry);
    if (!first || first.type === JSON_TYPE || (first.type === MULTIPART_TYPE && hasFile(first.fields))) return [];
    const { operationId } = entry.operation;
    const message = `The first media type of the body of ${operationId} must be ${JSON_TYPE}, not ${first.type}.`;
    return [{ message, path: pathOf(entry, 'requestBody') }];
  });
}

/** Most generators give an operation the type of the first media type of its response. */
function findResponsesWithoutJsonFirst(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) =>
    Object.entries(entry.operation.responses).flatMap(([status, response]) => {
      const [first = JSON_TYPE] = Object.keys(resolve(doc, response).content ?? {});
      if (first === JSON_TYPE) return [];
      const message = `The first media type of the response ${status} of ${entry.operation.operationId} must be ${JSON_TYPE}, not ${first}.`;
      return [{ message, path: pathOf(entry, 'responses') }];
    }),
  );
}

/** Some generators put headers into a record of strings, where a number does not compile. */
function findHeadersOfNumbers(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) =>
    entry.parameters
      .filter((one) => one.in === 'header' && resolve(doc, one.schema ?? {}).type !== 'string')
      .map(({ name }) => ({ message: `The header ${name} must have the type string.`, path: pathOf(entry) })),
  );
}

/** A form field that is a list or an object in every case says that it travels as JSON; most tools would spell it otherwise. */
function findFieldsWithoutEncoding(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) =>
    listMedia(doc, entry)
      .filter(({ type }) => type === FORM_TYPE || type === MULTIPART_TYPE)
      .flatMap(({ type, media, fields }) =>
        Object.entries(fields)
          .filter(([name, field]) => isSentAsJson(doc, field) && media.encoding?.[name]?.contentType !== JSON_TYPE)
          .map(([name]) => ({
            message: `The field \`${name}\` of ${entry.operation.operationId} must have the encoding application/json in ${type}.`,
            path: pathOf(entry, 'requestBody'),
          })),
      ),
  );
}

/** A form field says what it is, itself or by the schema that it names. */
function findFieldsWithoutDescription(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) => {
    // The media types of a body have the same fields.
    const fields: Record<string, SchemaObject> = Object.assign({}, ...listMedia(doc, entry).map((one) => one.fields));
    const silent = Object.keys(fields).filter((name) => !resolve(doc, fields[name] ?? {}).description);
    return silent.map((name) => ({
      message: `The field \`${name}\` of ${entry.operation.operationId} needs a description.`,
      path: pathOf(entry, 'requestBody'),
    }));
  });
}

/** Generators make an object that can have no keys of a schema that names none. */
function describedObjects() {
  const keywords = ['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'];
  return {
    Schema(schema: SchemaObject, { report, location }: VisitorContext) {
      if (![schema.type].flat().includes('object') || keywords.some((keyword) => keyword in schema)) return;
      report({ message: 'An object needs `properties` or `additionalProperties`.', location });
    },
  };
}

/** Each operation shows one success, and one error response for each code that it documents. */
function findMissingExamples(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) =>
    listResponses(doc, entry.operation).flatMap(({ status, codes, examples }) => {
      const names = Object.keys(examples);
      const hasSuccess = names.some((name) => name !== name.toUpperCase());
      const missing = status.startsWith('2')
        ? ['success'].filter(() => !hasSuccess)
        : codes.filter((code) => !names.includes(code));
      return missing.map((name) => ({
        message: `${entry.operation.operationId} needs an example of ${name} (status ${status}).`,
        path: pathOf(entry, 'responses', status),
      }));
    }),
  );
}

/** A bundler numbers the second schema of a name; and names that differ in case alone are one name to people and file systems. */
function findSharedSchemaNames({ components: { schemas } }: Document): DocumentProblem[] {
  const seen = new Map<string, string>();
  return Object.keys(schemas).flatMap((name) => {
    const plain = name.replace(/-\d+$/, '').toLowerCase();
    const other = seen.get(plain);
    seen.set(plain, name);
    if (other === undefined) return [];
    return [{ message: `The schemas ${other} and ${name} have one name.`, path: ['components', 'schemas', name] }];
  });
}

interface VerbOptions {
  verbs?: string[];
  verbsAlone?: string[];
}

/** Ids become functions of the client: what is done, then to what. */
function findOperationIdProblems(doc: Document, { verbs = [], verbsAlone = [] }: VerbOptions): DocumentProblem[] {
  const isGood = (operationId: string): boolean => {
    const [, verb = '', noun] = /^([a-z]+)((?:[A-Z][a-z0-9]*)+)$/.exec(operationId) ?? [];
    return verbsAlone.includes(operationId) || (noun !== undefined && verbs.includes(verb));
  };
  return listOperations(doc)
    .filter(({ operation }) => !isGood(operation.operationId ?? ''))
    .map((entry) => ({
      message: `The operationId \`${entry.operation.operationId}\` must be a known verb and a noun, in camelCase.`,
      path: pathOf(entry, 'operationId'),
    }));
}
