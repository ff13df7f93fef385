import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { parseSubdomain, type ServerAddress } from '../features/realm/index.ts';

/** The first defaults of the document, in JSON or YAML, are those of its server: the scheme and the host. */
const SERVER = /(default"?: "?)(https?)\b([\s\S]{0,200}?default"?: "?)([\w.:-]+)/;
const HOST_NAME = /^[a-z0-9.-]+$/;

/**
 * Responds with the document as it was when the server started: the one that is enforced. Its server is the organization
 * that the request went to, so that a tool that imports the document by its URL sends requests there.
 */
export function serveDocument(serverAddress: ServerAddress, type: string, file: URL): RequestHandler {
  const { before, opening, middle, after } = splitAtServer(readFileSync(file, 'utf8'));
  return (req, res) => {
    const address = [serverAddress.scheme, middle, organizationHost(serverAddress, req.headers.host)].join('');
    res.setHeader('Cache-Control', 'no-cache').setHeader('Access-Control-Allow-Origin', '*').vary('Host').type(type);
    res.send([before, opening, address, after].join(''));
  };
}

/** The server that the document and the samples of its documentation name. */
export function findSampleServer(file: URL): string {
  const { scheme, host } = splitAtServer(readFileSync(file, 'utf8'));
  return `${scheme}://${host}`;
}

function splitAtServer(text: string) {
  const found = SERVER.exec(text);
  if (!found) throw new Error('The document names no server.');
  const [whole, opening = '', scheme = '', middle = '', host = ''] = found;
  return {
    before: text.slice(0, found.index),
    opening,
    scheme,
    middle,
    host,
    after: text.slice(found.index + whole.length),
  };
}

/** The host and port of the organization that was requested. A host that does not belong to this server is not repeated. */
export function organizationHost({ base_domain, port }: ServerAddress, host: string | undefined): string {
  const subdomain = parseSubdomain(host, base_domain);
  const name = subdomain ? `${subdomain}.${base_domain}` : base_domain;
  return `${HOST_NAME.test(name) ? name : base_domain}${port === undefined ? '' : `:${port}`}`;
}
