import { type Document, type Example, findOperation, type Recipe } from '@parley/openapi/document';
import { fillParams, fillPlaceholders } from './recipe.ts';
import type { SampleCall } from './samples.ts';
import { type ApiLogin, requestOf } from './send.ts';

/** The calls that precede the example of an operation, so that a reader can make them in the demo organization. */
export interface ExampleSetup {
  /** The user who makes the call of the example. */
  as: string;
  steps: SetupStep[];
  /** The parameters of the call, with placeholders for values of the responses to the steps. */
  params: Record<string, unknown>;
}

interface SetupStep {
  as: string;
  call: SampleCall;
  /** The content of its files, as base64. */
  files?: Record<string, string>;
}

/** The user of an example that names none. */
const USUAL = 'hamlet';

/** The setup of an example. Undefined if an operator makes a step: a page cannot make that. */
export function getExampleSetup(doc: Document, example: Example): ExampleSetup | undefined {
  const recipes = example['x-given'] ?? [];
  if (recipes.some(({ as }) => as === 'operator')) return undefined;
  const { as = USUAL, params = {} } = example['x-request'] ?? {};
  return { as, steps: recipes.map((recipe) => stepOf(doc, recipe)), params };
}

function stepOf(doc: Document, { as = USUAL, operation, params = {}, files }: Recipe): SetupStep {
  const entry = findOperation(doc, operation);
  if (!entry) throw new Error(`A recipe calls ${operation}, which the document does not have.`);
  const { method, path } = entry;
  const call = { operationId: operation ?? '', method, path, params, needsLogin: true };
  return { as, call, ...(files && { files }) };
}

/** The server, the credentials, and the confirmation of calls. */
export interface SetupOptions {
  server: string;
  loginOf(name: string): ApiLogin | undefined;
  /** Asks the reader before a destructive call. True for all other calls. */
  confirmCall(call: SampleCall, name: string): Promise<boolean>;
}

/** The parameters of the call, with values of the responses. If a step failed, parameters that need its response are undefined. */
export interface SetupResult {
  params: Record<string, unknown>;
  problem?: string;
}

/** Makes the calls of a setup one after the other, each as its user. */
export async function runSetup(exampleSetup: ExampleSetup, setting: SetupOptions): Promise<SetupResult> {
  const { steps, params } = renamed(exampleSetup, Date.now().toString(36).slice(-6));
  const responses: Record<string, unknown>[] = [];
  for (const step of steps) {
    const response = await makeCall({ ...step.call, params: fillParams(step.call.params, responses) }, step, setting);
    if (typeof response === 'string') return { params: withoutMissing(params, responses), problem: response };
    responses.push(response);
  }
  return { params: fillParams(params, responses) };
}

/** The response to a call of a setup, or why the call failed. */
async function makeCall(
  call: SampleCall,
  { as, files = {} }: SetupStep,
  { server, loginOf, confirmCall }: SetupOptions,
): Promise<Record<string, unknown> | string> {
  if (!(await confirmCall(call, as))) return `${call.operationId} was not sent.`;
  const blobs = Object.entries(files).map(([name, base64]) => [name, new Blob([bytesOf(base64)])] as const);
  const { url, init } = requestOf(call, server, loginOf(as), Object.fromEntries(blobs));
  try {
    const response = (await (await fetch(url, init)).json()) as Record<string, unknown>;
    if (response.result === 'success') return response;
    return `${call.operationId} failed: ${response.msg} The setup may have been run before.`;
  } catch (error) {
    return `${call.operationId} got no response: ${String(error)}`;
  }
}

/** Parameters that name what a call creates. Such names are unique in the organization. */
const NAMES = new Set(['name', 'pattern']);

/** The setup with a suffix on the names of what it creates, so that it can run again. */
function renamed({ as, steps, params }: ExampleSetup, mark: string): ExampleSetup {
  const marked = (values: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        NAMES.has(key) && typeof value === 'string' ? `${value}-${mark}` : value,
      ]),
    );
  const renamedSteps = steps.map((step) => ({ ...step, call: { ...step.call, params: marked(step.call.params) } }));
  return { as, steps: renamedSteps, params: marked(params) };
}

/** Parameters that need a response which did not come are undefined. */
function withoutMissing(params: Record<string, unknown>, responses: readonly object[]): Record<string, unknown> {
  const isThere = (value: unknown) =>
    [...JSON.stringify(value).matchAll(/"\$given\.(\d+)/g)].every(([, nth]) => Number(nth) < responses.length);
  const found = Object.entries(params).map(([name, value]) => [
    name,
    isThere(value) ? fillPlaceholders(value, responses) : undefined,
  ]);
  return Object.fromEntries(found) as Record<string, unknown>;
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
