// Forms with files. The received parts of a file are in memory until the response is sent.
import type { Readable } from 'node:stream';
import { operations } from '@parley/openapi';
import busboy, { type Busboy } from 'busboy';
import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import { type ApiError, createInvalidError, failInvalid } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { getCall } from './call.ts';
import { getParameters, type ParameterRule, SentFile } from './decode.ts';
import { watchIdle } from './idle-timeout.ts';
import { tooManyFieldsError } from './parse-pairs.ts';
import { idleTimeoutError, reserveBody, tooLargeError } from './read-bytes.ts';

export type FormPair = readonly [string, string | SentFile];

type Stop = (why: ApiError) => void;

export async function multipart(app: App, req: Request, res: Response): Promise<FormPair[]> {
  const { id } = getCall(req);
  const known = getParameters(id);
  const { body: limit } = operations[id].budget;
  const hold = reserveBody(app, req);
  const pairs: FormPair[] = [];
  const parser = multipartParser(req, limit);
  let problem = createInvalidError('The multipart body cannot be read.');
  const stop: Stop = (why) => {
    if (parser.destroyed) return;
    problem = why;
    parser.destroy(why);
  };
  const file = fileParameter(known);
  const most = limit + (file?.max_bytes ?? 0);
  const unwatch = watchIdle(req, app.idleTimeoutMs, {
    received: (bytes) => bytes > most && stop(tooLargeError(most)),
    onIdle: () => stop(idleTimeoutError(app, res)),
  });
  let fieldBytes = 0;
  parser.on('field', (name, text) => {
    fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    const why = fieldBytes > limit ? tooLargeError(limit) : hold(text.length);
    if (why) stop(why);
    else pairs.push([name, text]);
  });
  let files = 0;
  parser.on('file', (name, stream, { filename }) => {
    // The parser reports a truncated body as an error of the file; without a listener that would end the process.
    stream.on('error', () => {});
    if (file) {
      files += 1;
      if (files > 1) return stop(createInvalidError('The body must have exactly one file.'));
      const tooMuch = () => stop(createInvalidError(`Parameter "${file.name}" must be ${file.expects}.`));
      // Clients choose the name of the part freely; some use the path of the file.
      const done = (bytes: Uint8Array) => pairs.push([file.name, new SentFile(bytes, filename ?? '')]);
      return collect(stream, { most: file.max_bytes, tooMuch, hold, stop, done });
    }
    // If the operation takes no file, the name is reported as an unknown parameter.
    pairs.push([name, '']);
    stream.resume();
  });
  parser.on('fieldsLimit', () => stop(tooManyFieldsError()));
  await parsed(req, parser).then(unwatch, () => {
    unwatch();
    throw problem;
  });
  return pairs;
}

/** Not with `pipeline`, which would close the connection together with the request: the error response must be sent. */
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

/** The file parameter of an operation, if it has one. Generating the table of operations fails for two. */
function fileParameter(known: Readonly<Record<string, ParameterRule>>) {
  for (const [name, { max_bytes, expects }] of Object.entries(known)) {
    if (max_bytes !== undefined) return { name, max_bytes, expects };
  }
  return undefined;
}

type Hold = (bytes: number) => ApiError | undefined;

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
      // Browsers and most libraries encode names as UTF-8; the parser's default is older.
      defParamCharset: 'utf8',
      // One byte more is accepted, so that the sum of the fields reveals a truncated field.
      limits: { fields: bounds.fields, fieldSize: limit + 1, parts: bounds.fields },
    });
  } catch {
    return failInvalid('The multipart body cannot be read.');
  }
}
