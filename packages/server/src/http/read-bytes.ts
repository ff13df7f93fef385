// The bytes of a request body, decompressed, within the budget of the operation and the byte quotas.
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import { type ApiError, createInvalidError, failInvalid } from '../core/errors.ts';
import { findQuotaOwner, onResponseEnd, toQuotaError } from './byte-quota.ts';
import { watchIdle } from './idle-timeout.ts';

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads a body of at most `limit` bytes, before and after decompression: reading stops at the limit. */
export async function readBytes(app: App, req: Request, res: Response, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLargeError(limit);
  const reserve = reserveBody(app, req);
  const decompressor = decompressorOf(req);
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (error: ApiError) => {
      unwatch();
      if (decompressor) req.unpipe(decompressor);
      decompressor?.destroy();
      // The rest of the body is discarded, so that the response gets through and the connection can be reused.
      req.off('data', take).resume();
      reject(error);
    };
    const unwatch = watchIdle(req, app.idleTimeoutMs, {
      received: (bytes) => bytes > limit && stop(tooLargeError(limit)),
      onIdle: () => stop(idleTimeoutError(app, res)),
    });
    const take = (chunk: Buffer) => {
      size += chunk.length;
      const error = size > limit ? tooLargeError(limit) : reserve(chunk.length);
      if (error) stop(error);
      else chunks.push(chunk);
    };
    const source: Readable = decompressor ? req.pipe(decompressor) : req;
    source.on('data', take).once('end', () => {
      unwatch();
      resolve();
    });
    source.once('error', () => stop(undecodable(req)));
    req.once('close', () => req.complete || stop(createInvalidError('The request broke off.')));
  });
  return Buffer.concat(chunks, size);
}

/** Counts bytes of a body until its request is answered; returns the error if there is no room for them. */
export function reserveBody(app: App, req: Request): (bytes: number) => ApiError | undefined {
  const owner = findQuotaOwner(req);
  let reserved = 0;
  let isOver = false;
  onResponseEnd(req, () => {
    isOver = true;
    app.requestBytes.release(owner, reserved);
  });
  return (bytes) => {
    // A decompressor may have more of a body whose connection has closed.
    if (isOver) return toQuotaError('process', 'request bytes');
    const exceeded = app.requestBytes.reserve(owner, bytes);
    if (exceeded) return toQuotaError(exceeded, 'request bytes');
    reserved += bytes;
    return undefined;
  };
}

const encodingOf = (req: Request): string => (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();

function decompressorOf(req: Request): Transform | undefined {
  const encoding = encodingOf(req);
  if (encoding === 'identity' || encoding === '') return undefined;
  const create = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined;
  return create ? create() : failInvalid('Content-Encoding must be gzip, deflate, br or identity.');
}

const undecodable = (req: Request) =>
  createInvalidError(`The body cannot be decompressed: it must be valid ${encodingOf(req)} data.`);

/** The text of a body, in the charset of its Content-Type. */
export function readText(req: Request, bytes: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return failInvalid('The charset of the body is unknown. Send UTF-8.');
  }
}

export const tooLargeError = (limit: number) => createInvalidError(`The body can have at most ${limit} bytes.`);

/** The start of the next request is unknown, so the connection ends with the response. */
export function idleTimeoutError({ idleTimeoutMs }: App, res: Response): ApiError {
  res.setHeader('Connection', 'close');
  return createInvalidError(`Nothing of the body has arrived for ${idleTimeoutMs / 1000} seconds.`);
}
