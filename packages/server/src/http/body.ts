import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import { fail, failInvalid } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { withoutTurn } from './admission/index.ts';
import { getCall } from './call.ts';
import { type FormPair, multipart } from './multipart.ts';
import { parseJson } from './parse-json.ts';
import { parsePairs, tooManyFieldsError } from './parse-pairs.ts';
import { readBytes, readText } from './read-bytes.ts';

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form as sent, with repeated names. */
export class FormFields {
  readonly pairs: readonly FormPair[];

  constructor(pairs: readonly FormPair[]) {
    if (pairs.length > bounds.fields) throw tooManyFieldsError();
    this.pairs = pairs;
  }
}

/** Reads a body of any content type within the operation's budget. Forms become `Fields`, JSON keeps its types. */
export function readBody(app: App): RequestHandler {
  return async (req, res, next) => {
    if (hasBody(req) && req.method !== 'GET') req.body = await withoutTurn(req, () => bodyOf(app, req, res));
    next();
  };
}

async function bodyOf(app: App, req: Request, res: Response): Promise<unknown> {
  if (req.is('multipart/form-data')) return new FormFields(await multipart(app, req, res));
  const { body: limit } = operations[getCall(req).id].budget;
  // The decoder applies the declared types; here a form consists of names and strings.
  if (req.is(FORM)) return new FormFields(await readForm(app, req, res, limit));
  if (!req.is('application/json')) {
    failInvalid(`The body must be ${FORM}, multipart/form-data or application/json.`);
  }
  return jsonOf(readText(req, await readBytes(app, req, res, limit)));
}

/** The names and strings of a form of at most `limit` bytes. */
export async function readForm(app: App, req: Request, res: Response, limit: number): Promise<[string, string][]> {
  return parsePairs(readText(req, await readBytes(app, req, res, limit)));
}

function jsonOf(text: string): unknown {
  if (text === '') return {};
  try {
    return parseJson(text, 'The body') ?? fail('INVALID_JSON', 'The body must be one JSON object.');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('INVALID_JSON', 'The body is not valid JSON.');
  }
}

const hasBody = (req: Request): boolean =>
  Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;
