import type { RequestHandler } from 'express';

/** Every answer is written once, as JSON that nobody may keep, with a newline at its end. */
export const envelope: RequestHandler = (_req, res, next) => {
  res.json = (body: unknown) => {
    const text = `${JSON.stringify(body)}\n`;
    res.setHeader('Content-Type', 'application/json');
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Length', Buffer.byteLength(text));
    res.end(text);
    return res;
  };
  next();
};

/** The answer to a request that worked. */
export function success(payload: object | undefined, ignored: readonly string[]): object {
  return {
    result: 'success',
    msg: '',
    ...payload,
    ...(ignored.length > 0 && { ignored_parameters_unsupported: ignored }),
  };
}
