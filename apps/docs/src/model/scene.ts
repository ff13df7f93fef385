import { type Document, type Example, operationsOf, type Recipe } from './document.ts';
import { filledParams } from './recipe.ts';
import type { Call } from './samples.ts';
import { type Login, requestOf } from './send.ts';

/** What was there before the example of an operation was recorded, so that a reader of the demo can have it, too. */
export interface Scene {
  /** Who makes the call of the example. */
  as: string;
  steps: Step[];
  /** What the call sends; answers of steps have names in it. */
  params: Record<string, unknown>;
}

interface Step {
  as: string;
  call: Call;
  /** What is in its files, as base64. */
  files?: Record<string, string>;
}

/** Who an example is recorded as when it does not say. */
const USUAL = 'hamlet';

/** The scene of an example. Undefined where an operator had a hand in it: nobody can do that from a page. */
export function sceneOf(doc: Document, example: Example): Scene | undefined {
  const given = example['x-given'] ?? [];
  if (given.some(({ as }) => as === 'operator')) return undefined;
  const { as = USUAL, params = {} } = example['x-request'] ?? {};
  return { as, steps: given.map((recipe) => stepOf(doc, recipe)), params };
}

function stepOf(doc: Document, { as = USUAL, operation, params = {}, files }: Recipe): Step {
  const place = operationsOf(doc).find((one) => one.operation.operationId === operation);
  if (!place) throw new Error(`A recipe calls ${operation}, which the document does not have.`);
  const { method, path } = place;
  const call = { operationId: operation ?? '', method, path, params, needsLogin: true };
  return { as, call, ...(files && { files }) };
}

/** What came of setting a scene: the parameters of the call with what is there now, or why it could not be set. */
export type SceneSet = { params: Record<string, unknown> } | { problem: string };

/** Makes the calls of a scene, each as the person it is for, one after the other. */
export async function setScene(
  { steps, params }: Scene,
  server: string,
  loginOf: (name: string) => Login | undefined,
): Promise<SceneSet> {
  const answers: Record<string, unknown>[] = [];
  for (const { as, call, files = {} } of steps) {
    const blobs = Object.entries(files).map(([name, base64]) => [name, new Blob([bytesOf(base64)])] as const);
    const filledCall = { ...call, params: filledParams(call.params, answers) };
    const { url, init } = requestOf(filledCall, server, loginOf(as), Object.fromEntries(blobs));
    const answer = (await (await fetch(url, init)).json()) as Record<string, unknown>;
    if (answer.result !== 'success') return { problem: `${call.operationId} was refused: ${answer.msg}` };
    answers.push(answer);
  }
  return { params: filledParams(params, answers) };
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
