// Files that exist only compressed, as in the container image, for the few clients that do not accept compression.
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { RequestHandler, Response } from 'express';

const GZIP = '.gz';

/** Serves the files of a folder that exist as `.gz` only; `setHeaders` gets the path of the file without `.gz`. */
export function serveDecompressed(folder: string, setHeaders: (res: Response, path: string) => void): RequestHandler {
  const paths = listCompressedOnly(folder);
  return (req, res, next) => {
    const path = paths.get(toFile(req.path)) ?? paths.get(`${req.path}.html`);
    if (path === undefined || req.acceptsEncodings(['identity', 'gzip']) === 'gzip') return next();
    setHeaders(res, path);
    res.vary('Accept-Encoding').type(extname(path));
    if (req.method === 'HEAD') return void res.end();
    // Closes the file and the connection when one of them fails.
    pipeline(createReadStream(path + GZIP), createGunzip(), res).catch(() => {});
  };
}

const toFile = (path: string): string => (path.endsWith('/') ? `${path}index.html` : path);

/** Maps the path of the URL to the path of the file without `.gz`. */
function listCompressedOnly(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(GZIP));
  const files = names.map((name) => name.slice(0, -GZIP.length)).filter((name) => !existsSync(join(folder, name)));
  return new Map(files.map((name) => [`/${name}`, join(folder, name)]));
}
