// Rules of the document that no ready-made rule holds. They judge the bundle: what a stranger's program reads.
export default function parley() {
  return {
    id: 'parley',
    rules: {
      oas3: {
        'json-body-first': jsonBodyFirst,
        'json-form-fields': jsonFormFields,
        'described-form-fields': describedFormFields,
        'described-objects': describedObjects,
        'examples-of-every-answer': examplesOfEveryAnswer,
        'unique-schema-names': uniqueSchemaNames,
        'operation-id-verb-noun': operationIdVerbNoun,
        'change-notes': changeNotes,
        budgets: operationBudgets,
      },
    },
  };
}

const JSON_TYPE = 'application/json';

/** Most generators use the first media type of a body; JSON is the one that all of them encode right. Files need a form. */
function jsonBodyFirst() {
  return {
    Operation(operation, { report, location, resolve }) {
      const see = seer(resolve);
      const content = see(operation.requestBody)?.content ?? {};
      const [first] = Object.keys(content);
      if (first === undefined || first === JSON_TYPE) return;
      const fields = Object.values(propertiesOf(see, content[first].schema));
      if (first === 'multipart/form-data' && fields.some((field) => see(field).format === 'binary')) return;
      const message = `The first media type of the body of ${operation.operationId} must be ${JSON_TYPE}, not ${first}.`;
      report({ message, location: location.child('requestBody') });
    },
  };
}

/** A form field that is a list or an object in every case says that it travels as JSON; most tools would spell it otherwise. */
function jsonFormFields() {
  return {
    Operation(operation, { report, location, resolve }) {
      const see = seer(resolve);
      for (const [type, media] of Object.entries(see(operation.requestBody)?.content ?? {})) {
        if (type === JSON_TYPE) continue;
        for (const [name, schema] of Object.entries(propertiesOf(see, media.schema))) {
          if (!isStructured(see, schema) || media.encoding?.[name]?.contentType === 'application/json') continue;
          const message = `The field \`${name}\` of ${operation.operationId} must have the encoding application/json in ${type}.`;
          report({ message, location: location.child('requestBody') });
        }
      }
    },
  };
}

/** A form field says what it is, itself or by the schema that it names. */
function describedFormFields() {
  return {
    Operation(operation, { report, location, resolve }) {
      const see = seer(resolve);
      const schemas = Object.values(see(operation.requestBody)?.content ?? {}).map(({ schema }) => schema);
      // The media types of a body have the same fields.
      const fields = Object.assign({}, ...schemas.map((schema) => propertiesOf(see, schema)));
      for (const [name, schema] of Object.entries(fields)) {
        if (schema.description ?? see(schema).description) continue;
        const message = `The field \`${name}\` of ${operation.operationId} needs a description.`;
        report({ message, location: location.child('requestBody') });
      }
    },
  };
}

/** Generators make an object that can have no keys of a schema that names none. */
function describedObjects() {
  const keywords = ['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'];
  return {
    Schema(schema, { report, location }) {
      if (![schema.type].flat().includes('object') || keywords.some((keyword) => schema[keyword] !== undefined)) return;
      report({ message: 'An object needs `properties` or `additionalProperties`.', location });
    },
  };
}

/** Each operation shows one success, and one refusal for each code that it documents. */
function examplesOfEveryAnswer() {
  return {
    Operation(operation, { report, location, resolve }) {
      const see = seer(resolve);
      for (const [status, node] of Object.entries(operation.responses ?? {})) {
        const { schema, examples = {} } = see(node)?.content?.['application/json'] ?? {};
        const names = Object.keys(examples);
        const missing = status.startsWith('2')
          ? names.some((name) => name !== name.toUpperCase())
            ? []
            : ['success']
          : codesOf(see, schema).filter((code) => !names.includes(code));
        for (const name of missing) {
          const message = `${operation.operationId} needs an example of ${name} (status ${status}).`;
          report({ message, location: location.child(['responses', status]) });
        }
      }
    },
  };
}

/** A bundler numbers the second schema of a name; and names that differ in case alone are one name to people and file systems. */
function uniqueSchemaNames() {
  return {
    Components({ schemas = {} }, { report, location }) {
      const seen = new Map();
      for (const name of Object.keys(schemas)) {
        const plain = name.replace(/-\d+$/, '').toLowerCase();
        if (seen.has(plain)) {
          const message = `The schemas ${seen.get(plain)} and ${name} have one name.`;
          report({ message, location: location.child(['schemas', name]) });
        }
        seen.set(plain, name);
      }
    },
  };
}

/** Ids become functions of the client: what is done, then to what. */
function operationIdVerbNoun({ verbs = [], verbsAlone = [] }) {
  return {
    Operation({ operationId = '' }, { report, location }) {
      const [, verb, noun] = /^([a-z]+)((?:[A-Z][a-z0-9]*)+)$/.exec(operationId) ?? [];
      if (verbsAlone.includes(operationId) || (noun !== undefined && verbs.includes(verb))) return;
      const message = `The operationId \`${operationId}\` must be a known verb and a noun, in camelCase.`;
      report({ message, location: location.child('operationId') });
    },
  };
}

const BUDGET_LIMITS = ['body', 'response'];

/** Every operation names its budget; a budget limits the request body and the response. */
function operationBudgets() {
  let budgets = {};
  return {
    Root(document, { report, location }) {
      budgets = document['x-budgets'] ?? {};
      for (const [name, budget] of Object.entries(budgets)) {
        const wrong = BUDGET_LIMITS.filter((limit) => !Number.isInteger(budget[limit]) || budget[limit] < 0);
        if (wrong.length === 0) continue;
        const message = `The budget \`${name}\` needs an integer for ${wrong.join(', ')}.`;
        report({ message, location: location.child(['x-budgets', name]) });
      }
    },
    Operation(operation, { report, location }) {
      const budget = budgets[operation['x-budget']];
      if (!budget) {
        const message = `${operation.operationId} needs an x-budget that x-budgets at the root describes.`;
        return report({ message, location });
      }
      if (operation.requestBody && budget.body === 0) {
        const message = `${operation.operationId} takes a request body; its x-budget allows none.`;
        report({ message, location: location.child('x-budget') });
      }
    },
  };
}

/** What `x-changes` says is read by programs: the level, what kind of change, and a sentence. */
function changeNotes() {
  return {
    Root(document, { report, location }) {
      const level = Number(document.info.version);
      for (const { notes, path } of notesIn(document)) {
        const wrong = faultOf(notes, level);
        if (wrong) report({ message: `x-changes: ${wrong}`, location: location.child(path) });
      }
    },
  };
}

const KINDS = ['added', 'changed', 'removed', 'deprecated'];

function faultOf(notes, level) {
  if (!Array.isArray(notes)) return 'must be a list.';
  for (const note of notes) {
    if (!Number.isInteger(note.level) || note.level > level) return `level must be a number up to ${level}.`;
    if (!KINDS.includes(note.kind)) return `kind must be one of ${KINDS.join(', ')}.`;
    if (typeof note.text !== 'string' || !note.text.trim().endsWith('.')) return 'text must be a sentence.';
  }
  return undefined;
}

function notesIn(node, path = []) {
  if (node === null || typeof node !== 'object') return [];
  const own = node['x-changes'] === undefined ? [] : [{ notes: node['x-changes'], path: [...path, 'x-changes'] }];
  const inner = Object.entries(node).filter(([key]) => key !== 'x-changes' && key !== 'examples');
  return [...own, ...inner.flatMap(([key, child]) => notesIn(child, [...path, key]))];
}

/** Follows references until there is something to look at. */
function seer(resolve) {
  return function see(node) {
    return node?.$ref === undefined ? node : see(resolve(node).node);
  };
}

function propertiesOf(see, node) {
  const schema = see(node) ?? {};
  return Object.assign({}, ...(schema.allOf ?? []).map((part) => propertiesOf(see, part)), schema.properties);
}

function isStructured(see, node) {
  const schema = see(node) ?? {};
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) {
    const plain = branches.some((branch) => [see(branch).type].flat().includes('string'));
    return !plain && branches.some((branch) => isStructured(see, branch));
  }
  if (schema.type === undefined) return (schema.allOf ?? []).some((part) => isStructured(see, part));
  return ['array', 'object'].includes(schema.type);
}

function codesOf(see, node) {
  const schema = see(node);
  if (schema?.oneOf) return schema.oneOf.flatMap((one) => codesOf(see, one));
  const code = schema?.properties?.code?.const;
  return code === undefined ? [] : [code];
}
