import type { RequestHandler, Response } from 'express';
import { Written } from '../core/written.ts';
import { answerBehind } from './stand-in.ts';

/** Every answer is written once, as JSON that nobody may keep, with a newline at its end. */
export const envelope: RequestHandler = (_req, res, next) => {
  res.json = (checked: unknown) => {
    const body = answerBehind(checked);
    send(res, hasWritten(body) ? piecesOf(body) : [`${JSON.stringify(body)}\n`]);
    return res;
  };
  next();
};

function send(res: Response, pieces: readonly (string | Buffer)[]): void {
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader(
    'Content-Length',
    pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
  );
  res.cork();
  for (const piece of pieces.slice(0, -1)) res.write(piece);
  res.end(pieces.at(-1));
  res.uncork();
}

const hasWritten = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.values(body).some((value) => value instanceof Written);

/** The JSON of an object with fields that are written already. */
function piecesOf(body: object): (string | Buffer)[] {
  const pieces: (string | Buffer)[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text.endsWith('{') && pieces.length === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (value instanceof Written) {
      pieces.push(text, ...value.pieces);
      text = '';
    } else text += JSON.stringify(value);
  }
  return [...pieces, `${text}}\n`];
}

/** The answer to a request that worked. */
export function success(payload: object | undefined, ignored: readonly string[]): object {
  return {
    result: 'success',
    msg: '',
    ...payload,
    ...(ignored.length > 0 && { ignored_parameters_unsupported: ignored }),
  };
}
