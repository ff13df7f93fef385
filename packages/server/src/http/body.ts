import { operations } from '@parley/openapi';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { App } from '../app.ts';
import { ApiError, refuse } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { callOf } from './call.ts';
import { multipart, type Pair, stoodStill, tooLarge, tooManyFields } from './multipart.ts';
import { watch } from './watch.ts';

const FORM = 'application/x-www-form-urlencoded';

interface BodyReaders {
  readonly asText: RequestHandler;
  readonly asJson: RequestHandler;
}

// One pair per budget, because the library takes its limit when a reader is made.
const readers = new Map<number, BodyReaders>();

// Fields are told apart later by the document; here a form is only names and texts.
function readersWithin(limit: number): BodyReaders {
  const made = readers.get(limit) ?? {
    asText: express.text({ type: FORM, limit }),
    asJson: express.json({ type: 'application/json', limit }),
  };
  readers.set(limit, made);
  return made;
}

/** The fields of a form as they came: repeated names and all. */
export class Fields {
  readonly pairs: readonly Pair[];

  constructor(pairs: readonly Pair[]) {
    if (pairs.length > bounds.fields) throw tooManyFields();
    this.pairs = pairs;
  }
}

/** Reads the body of whatever kind it is. Forms become `Fields`, JSON stays what it is. */
export function readBody(app: App): RequestHandler {
  return async (req, res, next) => {
    if (req.method !== 'GET') req.body = await bodyOf(app, req, res);
    next();
  };
}

async function bodyOf(app: App, req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  const { asText, asJson } = readersWithin(operations[callOf(req).id].budget.body);
  if (req.is('multipart/form-data')) return new Fields(await multipart(app, req, res));
  if (req.is(FORM)) {
    await read(app, asText, req, res);
    return new Fields([...new URLSearchParams(String(req.body))]);
  }
  if (!req.is('application/json')) {
    refuse('BAD_REQUEST', `The body must be ${FORM}, multipart/form-data or application/json.`);
  }
  await read(app, asJson, req, res);
  return req.body;
}

const hasBody = (req: Request): boolean =>
  Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;

const read = (app: App, reader: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    const unwatch = watch(req, app.patience, { stoodStill: () => reject(stoodStill(app, res)) });
    reader(req, res, (error?: unknown) => {
      unwatch();
      if (error) reject(error);
      else resolve();
    });
  });

/** What Express's readers throw, in the words of this API. */
export function bodyRefusal(error: unknown): ApiError | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  if (type === 'entity.too.large') return tooLarge((error as { limit?: number }).limit ?? 0);
  if (type === 'entity.parse.failed') return new ApiError('INVALID_JSON', 'The body is not valid JSON.');
  return typeof type === 'string' ? new ApiError('BAD_REQUEST', 'The body cannot be read.') : undefined;
}
