// The Markdown of each page of the documentation, and the list of them for programs.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { documentFile } from '@parley/openapi';
import type { RequestHandler, Response } from 'express';
import type { ServerAddress } from '../features/realm/index.ts';
import { findSampleServer, organizationHost } from './document.ts';

const GZIP = '.gz';
const decompress = promisify(gunzip);

/** Serves the `.md` and `.txt` files of a folder. Their samples name the organization that was requested, so that they work as they are. */
export function serveMarkdown(
  folder: string,
  serverAddress: ServerAddress,
  setHeaders: (res: Response, path: string) => void,
): RequestHandler {
  const files = listFiles(folder);
  // In HTML, a script of the page replaces it.
  const sampleServer = findSampleServer(documentFile);
  return async (req, res, next) => {
    const file = files.get(req.path);
    if (file === undefined || !['GET', 'HEAD'].includes(req.method)) return next();
    const bytes = await readFile(file);
    const text = (file.endsWith(GZIP) ? await decompress(bytes) : bytes).toString();
    setHeaders(res, file);
    res.setHeader('Cache-Control', 'no-cache').vary('Host').type(extname(req.path));
    res.send(
      text.replaceAll(sampleServer, `${serverAddress.scheme}://${organizationHost(serverAddress, req.headers.host)}`),
    );
  };
}

/** Maps the path of the URL to a file, which may exist compressed only, as in the container image. */
function listFiles(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(md|txt)(\.gz)?$/.test(name),
  );
  const compressed = names.filter((name) => name.endsWith(GZIP));
  const plain = names.filter((name) => !name.endsWith(GZIP));
  const toEntry = (name: string) => [`/${name.replace(/\.gz$/, '')}`, join(folder, name)] as const;
  return new Map([...compressed, ...plain].map(toEntry));
}
