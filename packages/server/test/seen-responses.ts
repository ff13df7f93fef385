// The responses of the servers of the tests, which `scripts/test.mjs` compares with the document after a whole run.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { findCall } from '../src/http/call.ts';

const folder = process.env.SEEN_ANSWERS_FOLDER;
const seen = new Set<string>();

/** Each operation, status and code once, in a file of this process. */
export const recordSeenResponses: RequestHandler = (req, res, next) => {
  if (folder !== undefined) {
    res.on('finish', () => {
      const id = findCall(req)?.id;
      const line = `${id} ${res.statusCode} ${res.locals.code ?? 'success'}`;
      if (id === undefined || seen.has(line)) return;
      seen.add(line);
      appendFileSync(join(folder, String(process.pid)), `${line}\n`);
    });
  }
  next();
};
