import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ApiError, refuse } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { callOf } from './call.ts';
import { type Parameter, parametersOf, SentFile } from './decode.ts';

const FORM = 'application/x-www-form-urlencoded';

// Fields are told apart later by the document; here a form is only names and texts.
const asText = express.text({ type: FORM, limit: bounds.body });
const asJson = express.json({ type: 'application/json', limit: bounds.body });

type Pair = readonly [string, string | SentFile];

/** The fields of a form as they came: repeated names and all. */
export class Fields {
  readonly pairs: readonly Pair[];

  constructor(pairs: readonly Pair[]) {
    if (pairs.length > bounds.fields) throw tooManyFields();
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
  if (req.is('multipart/form-data')) return multipart(req, res);
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

async function multipart(req: Request, res: Response): Promise<Fields> {
  const known = parametersOf(callOf(req).id);
  const most = bounds.body + roomForFiles(known);
  const hold = holder(res);
  const pairs: Pair[] = [];
  const parser = multipartParser(req);
  let received = 0;
  let problem = new ApiError('BAD_REQUEST', 'The multipart body cannot be read.');
  const stop = (why: ApiError) => {
    if (parser.destroyed) return;
    problem = why;
    parser.destroy(why);
  };
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > most) stop(tooLarge(most));
  });
  parser.on('field', (name, text) => pairs.push([name, text]));
  parser.on('file', (name, stream, { filename }) => {
    // The parser tells of a body that breaks off; without a listener the file would end the process by telling so too.
    stream.on('error', () => {});
    const { max_bytes, expects = '' } = (Object.hasOwn(known, name) && known[name]) || {};
    if (max_bytes !== undefined) {
      const tooMuch = () => stop(new ApiError('BAD_REQUEST', `Parameter "${name}" must be ${expects}.`));
      const busy = () => stop(tooBusy());
      const done = (bytes: Uint8Array) => pairs.push([name, new SentFile(bytes, filename ?? '')]);
      return collect(stream, { most: max_bytes, tooMuch, hold, busy, done });
    }
    // An operation that takes no such file is told the name, to report it as one that it does not know.
    pairs.push([name, '']);
    stream.resume();
  });
  parser.on('fieldsLimit', () => stop(tooManyFields()));
  await parsed(req, parser).catch(() => {
    throw problem;
  });
  return new Fields(pairs);
}

/** Not by `pipeline`, which would close the connection together with the request: the refusal has to get through. */
function parsed(req: Request, parser: Busboy): Promise<void> {
  return new Promise((resolve, reject) => {
    req.once('close', () => req.complete || parser.destroy(new Error('The request broke off.')));
    parser.once('close', resolve);
    parser.once('error', (error) => {
      req.unpipe(parser).resume();
      reject(error);
    });
    req.pipe(parser);
  });
}

/** What an operation's files may add to its body. */
const roomForFiles = (known: Readonly<Record<string, Parameter>>): number =>
  Object.values(known).reduce((sum, { max_bytes = 0 }) => sum + max_bytes, 0);

/** Bytes of files that this process has in memory, for all requests under way. */
let held = 0;

/** Counts the bytes of a request's files until it is answered; says whether there is room for them. */
function holder(res: Response): (bytes: number) => boolean {
  let own = 0;
  res.once('close', () => {
    held -= own;
  });
  return (bytes) => {
    if (held + bytes > bounds.files || res.closed) return false;
    own += bytes;
    held += bytes;
    return true;
  };
}

interface Collecting {
  readonly most: number;
  readonly tooMuch: () => void;
  readonly hold: (bytes: number) => boolean;
  readonly busy: () => void;
  readonly done: (bytes: Uint8Array) => void;
}

function collect(stream: Readable, { most, tooMuch, hold, busy, done }: Collecting): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) tooMuch();
    else if (!hold(chunk.length)) busy();
    else chunks.push(chunk);
  });
  stream.on('end', () => done(Buffer.concat(chunks)));
}

function multipartParser(req: Request): Busboy {
  try {
    return busboy({
      headers: req.headers,
      // Browsers and most libraries write names as UTF-8; the parser's own assumption is from before that.
      defParamCharset: 'utf8',
      limits: { fields: bounds.fields, fieldSize: bounds.body, parts: bounds.fields },
    });
  } catch {
    return refuse('BAD_REQUEST', 'The multipart body cannot be read.');
  }
}

/** What Express's readers throw, in the words of this API. */
export function bodyRefusal(error: unknown): ApiError | undefined {
  const type = (error as { type?: unknown } | null)?.type;
  if (type === 'entity.too.large') return tooLarge(bounds.body);
  if (type === 'entity.parse.failed') return new ApiError('INVALID_JSON', 'The body is not valid JSON.');
  return typeof type === 'string' ? new ApiError('BAD_REQUEST', 'The body cannot be read.') : undefined;
}

const tooManyFields = () => new ApiError('BAD_REQUEST', `A form can have at most ${bounds.fields} fields.`);
const tooLarge = (most: number) => new ApiError('BAD_REQUEST', `The body can have at most ${most} bytes.`);
const tooBusy = () =>
  new ApiError('RATE_LIMIT_HIT', 'Too many files are arriving at once. Try again in a few seconds.', {
    'retry-after': 5,
  });
