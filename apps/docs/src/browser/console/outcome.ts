import { answerSchema, faultsOf } from '../../model/conforms.ts';
import type { ConsoleData } from '../../model/console.ts';
import { pretty } from '../../model/json.ts';
import type { Outcome } from '../../model/send.ts';
import { codeBox } from './code.ts';
import { element } from './elements.ts';

/** A long answer is shown by its beginning: a browser would take seconds to colour all of it. */
const MOST = 20_000;

/** What came of a call: the answer, whether it is as documented, and the events it caused. */
export function outcomeView(data: ConsoleData, outcome: Outcome, name: string): HTMLElement[] {
  const { status, milliseconds, body, text, events } = outcome;
  const good = status < 400;
  const head = element(
    'p',
    { class: 'result' },
    element('span', { class: good ? 'ok' : 'status' }, String(status)),
    element('span', {}, `${milliseconds} ms`),
    verdict(data, status, body),
  );
  const shown = body === undefined ? text : pretty(body);
  return [head, codeBox(cut(shown), body === undefined ? 'text' : 'json', 'The answer'), ...eventsView(events, name)];
}

const cut = (text: string): string =>
  text.length <= MOST
    ? text
    : `${text.slice(0, MOST)}\n… ${(text.length - MOST).toLocaleString('en-US')} characters more`;

function verdict({ answers, schemas }: ConsoleData, status: number, body: unknown): HTMLElement {
  const schema = answerSchema(answers, schemas, status, body);
  if (!schema) return element('span', { class: 'verdict wrong' }, 'The document does not list this answer');
  const faults = faultsOf(body, schema, schemas);
  if (faults.length === 0) return element('span', { class: 'verdict right' }, 'As documented');
  return element('span', { class: 'verdict wrong' }, `Not as documented. ${faults.join(' ')}`);
}

function eventsView(events: readonly unknown[] | undefined, name: string): HTMLElement[] {
  if (!events) return [];
  const title =
    events.length === 0
      ? `No event came to ${name}.`
      : `${events.length === 1 ? 'One event' : `${events.length} events`} came to ${name}`;
  const boxes = events.map((event) => codeBox(cut(pretty(event)), 'json', 'An event that the call caused'));
  return [element('p', { class: 'heard' }, title), ...boxes];
}
