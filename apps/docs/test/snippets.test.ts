// Every TypeScript on the pages compiles with the client: fenced code of the guides, samples, and how to catch errors.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { site } from '../src/document.ts';
import { catchSample } from '../src/model/catch-sample.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const guides = fileURLToPath(new URL('../src/content/docs/', import.meta.url));

const readmes = ['README.md', 'packages/client/README.md'].map((name) => `../../../../../${name}`);
const fenced = [...readdirSync(guides, { recursive: true, encoding: 'utf8' }), ...readmes]
  .filter((name) => /\.mdx?$/.test(name))
  .flatMap((name) => {
    const blocks = [...readFileSync(`${guides}${name}`, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)];
    return blocks.map(([, code = ''], at) => ({ name: `${name} ${at + 1}`, code }));
  });
const samples = site.operations.map(({ id, samples: all }) => ({
  name: id,
  code: all.find((sample) => sample.id === 'client')?.code ?? '',
}));
const catches = site.errors.map((page) => ({ name: page.code, code: catchSample(page) }));

/** The declarations that a snippet may use without having them. */
const granted: Record<string, string> = {
  email: 'declare const email: string;',
  apiKey: 'declare const apiKey: string;',
  url: 'declare const url: string;',
  username: 'declare const username: string;',
  password: 'declare const password: string;',
  queue_id: 'declare const queue_id: string;',
  last_event_id: 'declare const last_event_id: number;',
  last_message_id: 'declare const last_message_id: number;',
  params: 'declare const params: never;',
  picture: 'declare const picture: Blob;',
  api: "declare const api: import('@parley/client').Calls;",
  client: "declare const client: import('@parley/client').Client;",
  secret: 'declare const secret: string;',
  client_id: 'declare const client_id: string;',
  redirect_uri: 'declare const redirect_uri: string;',
  options: "declare const options: import('openid-client').DiscoveryRequestOptions;",
  sendUserTo: 'declare const sendUserTo: (address: URL) => Promise<URL>;',
};

function withGranted(code: string): string {
  const missing = Object.entries(granted).filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`(const|let)\\s+(\\{[^}]*)?\\b${name}\\b`).test(code),
  );
  return [...missing.map(([, line]) => line), code, 'export {};'].join('\n');
}

test('every snippet compiles', () => {
  const files = new Map(
    [...fenced, ...samples, ...catches].map(({ name, code }, at) => [
      `${here}snippet-${at}.ts`,
      { name, code: withGranted(code) },
    ]),
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    paths: { '@parley/client': [fileURLToPath(new URL('../../../packages/client/src/index.ts', import.meta.url))] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const own = files.get(path);
    return own ? ts.createSourceFile(path, own.code, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const faults = [...files].flatMap(([path, { name }]) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
  expect(faults).toEqual([]);
});
