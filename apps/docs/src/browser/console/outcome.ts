import type { ConsoleData } from '../../model/console.ts';
import type { Language } from '../../model/highlight.ts';
import { pretty } from '../../model/json.ts';
import type { SendOutcome } from '../../model/send.ts';
import { findResponseSchema, listSchemaErrors } from '../../model/validate.ts';
import { codeBox } from './code.ts';
import { button, element } from './elements.ts';

/** The characters to show of a long response: a browser would take seconds to highlight all of it. */
const MOST = 20_000;

/** The outcome of a call: the response, whether it matches the document, and the events that the call caused. */
export function outcomeView(data: ConsoleData, outcome: SendOutcome, name: string): HTMLElement[] {
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
  const language = body === undefined ? 'text' : 'json';
  return [head, ...renderResponse(shown, language, 'The response'), ...eventsView(events, name)];
}

/** The text of a response: if it is long its beginning, and a button that shows the rest without colours. */
function renderResponse(text: string, language: Language, label: string): HTMLElement[] {
  if (text.length <= MOST) return [codeBox(text, language, label)];
  const box = codeBox(`${text.slice(0, MOST)}\n…`, language, label, text);
  const all = button(`Show all ${text.length.toLocaleString('en-US')} characters`, 'plain', () => {
    box.querySelector('code')?.replaceChildren(text);
    box.querySelector('pre')?.focus();
    all.remove();
  });
  return [box, all];
}

function verdict({ responses, schemas }: ConsoleData, status: number, body: unknown): HTMLElement {
  const schema = findResponseSchema(responses, schemas, status, body);
  if (!schema) return element('span', { class: 'verdict wrong' }, 'The document does not list this response');
  const errors = listSchemaErrors(body, schema, schemas, 'the response');
  if (errors.length === 0) return element('span', { class: 'verdict right' }, 'As documented');
  return element('span', { class: 'verdict wrong' }, `Not as documented. ${errors.join(' ')}`);
}

function eventsView(events: readonly unknown[] | undefined, name: string): HTMLElement[] {
  if (!events) return [];
  const title =
    events.length === 0
      ? `${name} received no event.`
      : `${name} received ${events.length === 1 ? 'one event' : `${events.length} events`}`;
  const boxes = events.flatMap((event) => renderResponse(pretty(event), 'json', 'An event that the call caused'));
  return [element('p', { class: 'received' }, title), ...boxes];
}
