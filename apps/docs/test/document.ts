import type { Document } from '@parley/openapi/document';

/** A small document with one of everything that the pages show. */
export const small: Document = {
  info: { title: 'Small', version: '7' },
  security: [{ apiKey: [] }],
  tags: [{ name: 'notes', description: 'Notes.' }],
  paths: {
    '/notes': {
      get: {
        operationId: 'getNotes',
        tags: ['notes'],
        summary: 'List notes',
        security: [],
        parameters: [
          {
            name: 'since',
            in: 'query',
            schema: { type: 'integer', minimum: 0, default: 3 },
            description: 'Where to begin.',
          },
          {
            name: 'ids',
            in: 'query',
            required: true,
            schema: { type: 'string', contentSchema: { type: 'array', items: { type: 'integer' } } },
          },
        ],
        responses: { '200': answer({ $ref: '#/components/schemas/Success' }) },
      },
    },
    '/notes/{note_id}': {
      parameters: [{ name: 'note_id', in: 'path', required: true, schema: { type: 'integer' } }],
      patch: {
        operationId: 'editNote',
        tags: ['notes'],
        summary: 'Edit a note',
        description: 'Refused with `LOCKED` when it is locked; see `GET /notes`.',
        'x-roles': { requires: 'administrator' },
        'x-scope': 'admin',
        'x-token-limit': 'note_id',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['text', 'labels'],
                properties: {
                  colour: { type: 'string', enum: ['blue', 'green'], default: 'blue' },
                  text: { type: 'string', maxLength: 60, description: 'The text.' },
                  labels: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/Label' } },
                },
              },
            },
          },
        },
        responses: {
          '200': answer({
            allOf: [
              { $ref: '#/components/schemas/Success' },
              { type: 'object', required: ['note_id'], properties: { note_id: { type: 'integer' } } },
            ],
          }),
          '400': {
            description: 'Nothing was changed.',
            content: {
              'application/json': {
                schema: { oneOf: [{ $ref: '#/components/schemas/Locked' }, { $ref: '#/components/schemas/Unready' }] },
                examples: {
                  LOCKED: {
                    summary: 'Somebody else edits it',
                    'x-request': { params: { note_id: 4, text: 'a b' } },
                    value: { result: 'error', msg: 'Ada edits it.', code: 'LOCKED', by: 9 },
                  },
                  UNREADY: { summary: 'Not recorded yet', value: { result: 'error' } },
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Success: {
        type: 'object',
        required: ['result', 'msg'],
        properties: { result: { type: 'string', const: 'success' }, msg: { type: 'string', const: '' } },
      },
      Label: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, hidden: { type: 'boolean' } },
      },
      Error: {
        oneOf: [
          { $ref: '#/components/schemas/Locked' },
          { $ref: '#/components/schemas/Unready' },
          { $ref: '#/components/schemas/Lost' },
          { $ref: '#/components/schemas/LostForGood' },
        ],
      },
      Locked: createErrorSchema('LOCKED', 'Somebody else edits it: wait. HTTP 400.', {
        by: { type: 'integer', description: 'Who.' },
      }),
      Unready: createErrorSchema('UNREADY', 'It is not ready. HTTP 400.', {}),
      Lost: createErrorSchema('LOST', 'There is no such address. HTTP 404.', {}),
      LostForGood: createErrorSchema('LOST', 'It is gone. HTTP 404.', { since: { type: 'integer' } }),
      Event: { oneOf: [event('note', ['add']), event('note', ['lock', 'unlock']), event('tick', [])] },
    },
  },
};

function answer(schema: object) {
  return { description: 'Done.', content: { 'application/json': { schema } } };
}

function createErrorSchema(code: string, description: string, extra: Record<string, object>) {
  return {
    description,
    type: 'object',
    required: ['result', 'msg', 'code', ...Object.keys(extra)],
    properties: { result: { const: 'error' }, msg: { type: 'string' }, code: { const: code }, ...extra },
  };
}

function event(type: string, ops: string[]) {
  const op = ops.length > 0 ? { op: { type: 'string', enum: ops } } : {};
  return {
    description: `About ${type}.`,
    type: 'object',
    required: ['type', ...Object.keys(op)],
    properties: { type: { const: type }, ...op },
  };
}
