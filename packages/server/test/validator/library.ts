// express-openapi-validator's own middleware, for one path, on the schemas of the server's validators.
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import type { JsonSchema, OperationSchemas } from '../../src/http/validator/compile/schemas.ts';
import type { ValidationProblem } from '../../src/http/validator/problem.ts';

export interface ValidationVerdict {
  readonly problems: readonly ValidationProblem[];
  /** The parameters with their defaults, where they are valid. */
  readonly params?: unknown;
}

export interface Library {
  validateRequest(method: string, params: unknown): Promise<ValidationVerdict>;
  validateResponse(method: string, status: number, body: unknown): Promise<ValidationVerdict>;
  close(): void;
}

const JSON_BODY = 'application/json';
const contentOf = (schema: JsonSchema) => ({ content: { [JSON_BODY]: { schema } } });
const REQUESTS = {
  validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false },
  validateResponses: false,
};
const RESPONSES = { validateRequests: false, validateResponses: true };

/** Starts the middleware for the operations of a path, by method. */
export async function startLibrary(path: string, operations: Record<string, OperationSchemas>): Promise<Library> {
  const apiSpec = {
    openapi: '3.1.0',
    info: { title: 'Parley', version: '1' },
    paths: { [path]: pathItem(operations) },
  };
  const requests = await listen(
    serve(apiSpec, REQUESTS, (req, res) => void res.json({ problems: [], params: req.body })),
  );
  const responses = await listen(
    serve(apiSpec, RESPONSES, (req, res) => void res.status(req.body.status).json(req.body.body)),
  );
  const url = path.replaceAll(/{\w+}/g, '1');
  return {
    validateRequest: async (method, params) => (await requests.send(method, url, params)) as ValidationVerdict,
    async validateResponse(method, status, body) {
      const sent = (await responses.send(method, url, { status, body })) as ValidationVerdict;
      return isVerdict(sent) ? sent : { problems: [] };
    },
    close() {
      requests.close();
      responses.close();
    },
  };
}

/** Marks responses of the error handler: a response body may look like anything. */
const MARK = 'verdict-of-the-library';
const isVerdict = (value: unknown) => typeof value === 'object' && value !== null && MARK in value;

function pathItem(operations: Record<string, OperationSchemas>): object {
  return Object.fromEntries(
    Object.entries(operations).map(([method, { request: schema, responses }]) => [
      method,
      {
        requestBody: { required: true, ...contentOf(schema) },
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, one]) => [status, { description: '', ...(one && contentOf(one)) }]),
        ),
      },
    ]),
  );
}

function serve(apiSpec: object, options: object, respond: RequestHandler): Express {
  const app = express();
  app.use(express.json({ strict: false, limit: '50mb', type: () => true }));
  const library = middleware({
    // The library rewrites the document that it is given.
    ...{ apiSpec: structuredClone(apiSpec), validateApiSpec: false, validateSecurity: false, fileUploader: false },
    ...options,
  } as Parameters<typeof middleware>[0]);
  const failed: ErrorRequestHandler = (error, _req, res, _next) => {
    if (!Array.isArray(error.errors)) throw error;
    const problems = error.errors.map(({ path, message }: ValidationProblem) => ({ path, message }));
    res.status(200).json({ [MARK]: true, problems });
  };
  return app.use(library, respond, failed);
}

async function listen(app: Express) {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const send = (method: string, path: string, value: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Type': JSON_BODY, 'Content-Length': Buffer.byteLength(JSON.stringify(value)) };
      const sent = request(
        { agent, host: '127.0.0.1', port, path, method: method.toUpperCase(), headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => (text += part));
          response.on('end', () => {
            try {
              resolve(JSON.parse(text));
            } catch {
              reject(new Error(`The library's server responded: ${text.slice(0, 500)}`));
            }
          });
        },
      );
      sent.on('error', reject).end(JSON.stringify(value));
    });
  const close = () => {
    agent.destroy();
    server.close();
  };
  return { send, close };
}
