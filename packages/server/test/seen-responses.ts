// The responses of the servers of the tests, which `scripts/test.mjs` compares with the document after a whole run.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { findCall } from '../src/http/call.ts';

const folder = process.env.SEEN_ANSWERS_FOLDER;
const seen = new Set<string>();

/** Each operation, status, code and reason once, in a file of this process. */
export const recordSeenResponses: RequestHandler = (req, res, next) => {
  if (folder !== undefined) {
    res.on('finish', () => {
      const id = findCall(req)?.id;
      const { code = 'success', reason } = res.locals;
      const line = [id, res.statusCode, code, reason].filter((word) => word !== undefined).join(' ');
      if (id === undefined || seen.has(line)) return;
      seen.add(line);
      appendFileSync(join(folder, String(process.pid)), `${line}\n`);
    });
  }
  next();
};
