// Forms with files in them. What of the files has arrived is in memory until the request is answered.
import type { Readable } from 'node:stream';
import { operations } from '@parley/openapi';
import busboy, { type Busboy } from 'busboy';
import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import { ApiError, refuse } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { callerOf, callOf } from './call.ts';
import { type Parameter, parametersOf, SentFile } from './decode.ts';
import type { Room } from './held.ts';
import { watch } from './watch.ts';

export type Pair = readonly [string, string | SentFile];

type Stop = (why: ApiError) => void;

export async function multipart(app: App, req: Request, res: Response): Promise<Pair[]> {
  const { id } = callOf(req);
  const known = parametersOf(id);
  const { body: limit } = operations[id].budget;
  const hold = holder(app, req, res);
  const pairs: Pair[] = [];
  const parser = multipartParser(req, limit);
  let problem = new ApiError('BAD_REQUEST', 'The multipart body cannot be read.');
  const stop: Stop = (why) => {
    if (parser.destroyed) return;
    problem = why;
    parser.destroy(why);
  };
  const most = limit + roomForFiles(known);
  const unwatch = watch(req, app.patience, {
    received: (bytes) => bytes > most && stop(tooLarge(most)),
    stoodStill: () => stop(stoodStill(app, res)),
  });
  let fieldBytes = 0;
  parser.on('field', (name, text) => {
    fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    if (fieldBytes > limit) stop(tooLarge(limit));
    else pairs.push([name, text]);
  });
  parser.on('file', (name, stream, { filename }) => {
    // The parser tells of a body that breaks off; without a listener the file would end the process by telling so too.
    stream.on('error', () => {});
    const { max_bytes, expects = '' } = (Object.hasOwn(known, name) && known[name]) || {};
    if (max_bytes !== undefined) {
      const tooMuch = () => stop(new ApiError('BAD_REQUEST', `Parameter "${name}" must be ${expects}.`));
      const done = (bytes: Uint8Array) => pairs.push([name, new SentFile(bytes, filename ?? '')]);
      return collect(stream, { most: max_bytes, tooMuch, hold, stop, done });
    }
    // An operation that takes no such file is told the name, to report it as one that it does not know.
    pairs.push([name, '']);
    stream.resume();
  });
  parser.on('fieldsLimit', () => stop(tooManyFields()));
  await parsed(req, parser).then(unwatch, () => {
    unwatch();
    throw problem;
  });
  return pairs;
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

type Hold = (bytes: number) => ApiError | undefined;

/** Counts the bytes of a request's files until it is answered; says why there is no room for them. */
function holder({ arriving }: App, req: Request, res: Response): Hold {
  const { me } = callerOf(req);
  let own = 0;
  res.once('close', () => me && arriving.giveBack(me, own));
  return (bytes) => {
    // No operation takes files from whoever has not logged in.
    const full = !me || res.closed ? 'all' : arriving.take(me, bytes);
    if (full === undefined) own += bytes;
    return full && tooBusy(full);
  };
}

interface Collecting {
  readonly most: number;
  readonly tooMuch: () => void;
  readonly hold: Hold;
  readonly stop: Stop;
  readonly done: (bytes: Uint8Array) => void;
}

function collect(stream: Readable, { most, tooMuch, hold, stop, done }: Collecting): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) return tooMuch();
    const why = hold(chunk.length);
    if (why) stop(why);
    else chunks.push(chunk);
  });
  stream.on('end', () => done(Buffer.concat(chunks)));
}

function multipartParser(req: Request, limit: number): Busboy {
  try {
    return busboy({
      headers: req.headers,
      // Browsers and most libraries write names as UTF-8; the parser's own assumption is from before that.
      defParamCharset: 'utf8',
      // One byte more than may come, so that the sum of the fields shows a field that was cut.
      limits: { fields: bounds.fields, fieldSize: limit + 1, parts: bounds.fields },
    });
  } catch {
    return refuse('BAD_REQUEST', 'The multipart body cannot be read.');
  }
}

export const tooManyFields = () => new ApiError('BAD_REQUEST', `A form can have at most ${bounds.fields} fields.`);
export const tooLarge = (most: number) => new ApiError('BAD_REQUEST', `The body can have at most ${most} bytes.`);

/** Nobody knows where the next request would begin: the connection ends with the answer. */
export function stoodStill({ patience }: App, res: Response): ApiError {
  res.setHeader('Connection', 'close');
  return new ApiError('BAD_REQUEST', `Nothing of the body has arrived for ${patience / 1000} seconds.`);
}

const tooBusy = (full: keyof Room) =>
  new ApiError(
    'RATE_LIMIT_HIT',
    `Too many ${full === 'each' ? 'of your files' : 'files'} are arriving at once. Try again in a few seconds.`,
    { 'retry-after': 5 },
  );
