import { type Document, type Example, findOperation, type Recipe } from '@parley/openapi/document';
import { fillParams, fillPlaceholders } from './recipe.ts';
import type { SampleCall } from './samples.ts';
import { type ApiLogin, requestOf } from './send.ts';

/** What was there before the example of an operation was recorded, so that a reader of the demo can have it, too. */
export interface ExampleSetup {
  /** Who makes the call of the example. */
  as: string;
  steps: SetupStep[];
  /** What the call sends; answers of steps have names in it. */
  params: Record<string, unknown>;
}

interface SetupStep {
  as: string;
  call: SampleCall;
  /** What is in its files, as base64. */
  files?: Record<string, string>;
}

/** Who an example is recorded as when it does not say. */
const USUAL = 'hamlet';

/** The setup of an example. Undefined where it has steps of an operator: a page cannot carry them out. */
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

/** With whom and with whose consent a scene is set. */
export interface SetupOptions {
  server: string;
  loginOf(name: string): ApiLogin | undefined;
  /** Whether a call may be made, if it takes something away. */
  isMeant(call: SampleCall, name: string): Promise<boolean>;
}

/** The parameters of the call with what is there now. Those that a scene could not bring are undefined, and there is a problem. */
export interface SetupResult {
  params: Record<string, unknown>;
  problem?: string;
}

/** Makes the calls of a scene, each as the person it is for, one after the other. */
export async function runSetup(exampleSetup: ExampleSetup, setting: SetupOptions): Promise<SetupResult> {
  const { steps, params } = renamed(exampleSetup, Date.now().toString(36).slice(-6));
  const responses: Record<string, unknown>[] = [];
  for (const step of steps) {
    const response = await carriedOut({ ...step.call, params: fillParams(step.call.params, responses) }, step, setting);
    if (typeof response === 'string') return { params: withoutMissing(params, responses), problem: response };
    responses.push(response);
  }
  return { params: fillParams(params, responses) };
}

/** What a call of a scene answered, or why it did not do what it is for. */
async function carriedOut(
  call: SampleCall,
  { as, files = {} }: SetupStep,
  { server, loginOf, isMeant }: SetupOptions,
): Promise<Record<string, unknown> | string> {
  if (!(await isMeant(call, as))) return `${call.operationId} was not sent.`;
  const blobs = Object.entries(files).map(([name, base64]) => [name, new Blob([bytesOf(base64)])] as const);
  const { url, init } = requestOf(call, server, loginOf(as), Object.fromEntries(blobs));
  try {
    const response = (await (await fetch(url, init)).json()) as Record<string, unknown>;
    if (response.result === 'success') return response;
    return `${call.operationId} was refused: ${response.msg} Perhaps it was done before.`;
  } catch (error) {
    return `${call.operationId} had no answer: ${String(error)}`;
  }
}

/** By these parameters the calls of scenes name what they create, and no two things can have the same. */
const NAMES = new Set(['name', 'pattern']);

/** The scene with a mark on the names of what it creates, so that it can be set again. */
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

/** Parameters that name what was not answered are undefined. */
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
