import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ApiError, refuse } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';

const FORM = 'application/x-www-form-urlencoded';

// Fields are told apart later by the document; here a form is only names and texts.
const asText = express.text({ type: FORM, limit: bounds.body });
const asJson = express.json({ type: 'application/json', limit: bounds.body });

/** The fields of a form as they came: repeated names and all. */
export class Fields {
  readonly pairs: readonly (readonly [string, string])[];

  constructor(pairs: readonly (readonly [string, string])[]) {
    if (pairs.length > bounds.fields) refuse('BAD_REQUEST', `A form can have at most ${bounds.fields} fields.`);
    this.pairs = pairs;
  }
}

/** Reads the body of whatever kind it is. Forms become `Fields`, JSON stays what it is. */
export const readBody: RequestHandler = async (req, res, next) => {
  if (req.method !== 'GET') req.body = await bodyOf(req, res);
  next();
};

async function bodyOf(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  if (req.is('multipart/form-data')) return multipart(req);
  if (req.is(FORM)) {
    await read(asText, req, res);
    return new Fields([...new URLSearchParams(String(req.body))]);
  }
  if (!req.is('application/json')) {
    refuse('BAD_REQUEST', `The body must be ${FORM}, multipart/form-data or application/json.`);
  }
  await read(asJson, req, res);
  return req.body;
}

const hasBody = (req: Request): boolean =>
  Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;

const read = (reader: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    reader(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });

async function multipart(req: Request): Promise<Fields> {
  const pairs: [string, string][] = [];
  const parser = multipartParser(req);
  let received = 0;
  let tooMany = false;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bounds.body) parser.destroy(new Error('too large'));
  });
  parser.on('field', (name, text) => pairs.push([name, text]));
  // No operation takes a file yet; its name is reported as one that the operation does not know.
  parser.on('file', (name, stream) => {
    pairs.push([name, '']);
    stream.resume();
  });
  parser.on('fieldsLimit', () => {
    tooMany = true;
  });
  await pipeline(req, parser).catch(() => {
    throw received > bounds.body ? tooLarge() : new ApiError('BAD_REQUEST', 'The multipart body cannot be read.');
  });
  if (tooMany) refuse('BAD_REQUEST', `A form can have at most ${bounds.fields} fields.`);
  return new Fields(pairs);
}

function multipartParser(req: Request): Busboy {
  try {
    return busboy({
      headers: req.headers,
      limits: { fields: bounds.fields, fieldSize: bounds.body, parts: bounds.fields },
    });
  } catch {
    return refuse('BAD_REQUEST', 'The multipart body cannot be read.');
  }
}

/** What Express's readers throw, in the words of this API. */
export function bodyRefusal(error: unknown): ApiError | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'entity.parse.failed') return new ApiError('INVALID_JSON', 'The body is not valid JSON.');
  return typeof type === 'string' ? new ApiError('BAD_REQUEST', 'The body cannot be read.') : undefined;
}

const tooLarge = () => new ApiError('BAD_REQUEST', `The body can have at most ${bounds.body} bytes.`);
