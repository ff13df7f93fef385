import type { ConsoleData } from '../../model/console.ts';
import { type Filling, fillFrom, readCurl } from '../../model/curl.ts';
import { textOf } from '../../model/form.ts';
import { KEY, type SampleCall, samplesOf } from '../../model/samples.ts';
import { send } from '../../model/send.ts';
import { coloured } from './code.ts';
import { confirmDestructive } from './confirm.ts';
import { button, element } from './elements.ts';
import { createSetupRow } from './example-setup.ts';
import { type FieldBox, fieldBox } from './field.ts';
import { type ConsoleIdentity, type DemoUser, findUserCalled, identity } from './identity.ts';
import { markLevels } from './levels.ts';
import { outcomeView } from './outcome.ts';
import { remember, remembered } from './session-storage.ts';

const server = location.origin;

/** The form of one operation. The samples show its values, and the request has them. */
class Console {
  private readonly boxes: FieldBox[];
  private readonly who: ConsoleIdentity;
  private readonly result = element('div', { class: 'outcome', role: 'status' });
  private readonly note = element('p', { class: 'note', role: 'status', hidden: true });
  private readonly sendButton: HTMLButtonElement;
  private sending: AbortController | undefined;

  constructor(
    private readonly data: ConsoleData,
    private readonly container: HTMLElement,
    private readonly demoUsers: readonly DemoUser[],
  ) {
    this.boxes = data.fields.map((field) => fieldBox(field, data.schemas, () => this.show()));
    this.who = identity(demoUsers, data.setup?.as, () => undefined);
    this.sendButton = button('Send', 'send', () => void this.press());
    const texts = remembered();
    for (const box of this.boxes) box.write(texts?.[box.field.name] ?? textOf(data.call.params[box.field.name]));
    container.append(...this.parts());
    if (texts) this.openFilled();
    container.addEventListener('paste', (event) => this.paste(event));
    container.addEventListener('change', () => this.remember());
    this.show();
    this.remember();
  }

  private parts(): HTMLElement[] {
    const { call } = this.data;
    const isShown = ({ field }: FieldBox) => field.required || field.name in call.params;
    const rows = (boxes: FieldBox[]) => boxes.map(({ row }) => row);
    const [shown, others] = [this.boxes.filter(isShown), this.boxes.filter((box) => !isShown(box))];
    const more = element(
      'details',
      { class: 'more' },
      element('summary', {}, `Optional (${others.length})`),
      ...rows(others),
    );
    const hint =
      'Fields left empty are not sent; "" means an empty string. Paste a curl command into any field to fill the form.';
    return [
      ...(call.needsLogin ? [this.who.row] : []),
      ...this.createSetup(),
      ...rows(shown),
      ...(others.length > 0 ? [more] : []),
      ...(this.boxes.length > 0 ? [element('p', { class: 'note' }, hint)] : [this.pasteBox()]),
      this.note,
      element('div', { class: 'act' }, this.sendButton, element('span', { class: 'note' }, `to ${server}`)),
      this.result,
    ];
  }

  /** On the demo organization, its users can carry out the calls that precede the example. */
  private createSetup(): HTMLElement[] {
    const { setup } = this.data;
    if (this.demoUsers.length === 0 || setup?.steps.length === 0) return [];
    const loginOf = (name: string) => {
      const user = findUserCalled(this.demoUsers, name);
      return user && { email: user.email, apiKey: user.api_key };
    };
    const confirmCall = (call: SampleCall, name: string) =>
      confirmDestructive(this.container, call, findUserCalled(this.demoUsers, name)?.name ?? name);
    return [createSetupRow(setup, { server, loginOf, confirmCall }, (params) => this.fill(params))];
  }

  private fill(params: Record<string, unknown>): void {
    for (const box of this.boxes) {
      if (!(box.field.name in params)) continue;
      box.write(textOf(params[box.field.name]));
      box.showProblem(undefined);
    }
    this.openFilled();
    this.show();
    this.remember();
  }

  private remember(): void {
    remember(Object.fromEntries(this.boxes.map((box) => [box.field.name, box.typed()])));
  }

  /** Opens the details that contain fields with values, because the request has them. */
  private openFilled(): void {
    const filled = this.boxes.filter((box) => box.typed() !== '');
    for (const { row } of filled) row.closest('details')?.setAttribute('open', '');
  }

  /** An operation without parameters has no field to paste a command into. */
  private pasteBox(): HTMLElement {
    return element('p', { class: 'note' }, 'This operation has no parameters.');
  }

  /** The call from the form. Invalid values are in it as typed; such a call is not sent. */
  private call(): SampleCall {
    const values = this.boxes.map((box) => {
      const { value, problem } = box.read();
      return [box.field.name, problem === undefined ? value : box.typed() || undefined] as const;
    });
    const { [KEY]: key, ...params } = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...this.data.call, params, ...(typeof key === 'string' && { key }) };
  }

  private show(): void {
    const remarks = this.boxes.flatMap(({ field, read }) => {
      const { problem } = read();
      return problem === undefined ? [] : [`${field.name}: ${problem}`];
    });
    for (const { id, code, language } of samplesOf(this.call(), server, remarks)) {
      const shown = document.querySelector(`.samples .panel[data-sample="${id}"] code`);
      shown?.replaceChildren(...coloured(code, language));
    }
  }

  private async press(): Promise<void> {
    if (this.sending) return this.sending.abort();
    if (!this.isValid() || !(await confirmDestructive(this.container, this.call(), this.who.name()))) return;
    const sending = new AbortController();
    this.sending = sending;
    this.sendButton.textContent = 'Stop';
    this.result.replaceChildren(element('p', { class: 'note' }, 'Waiting for the response …'));
    try {
      const login = this.data.call.needsLogin ? this.who.login() : undefined;
      const outcome = await send(this.call(), server, login, { files: this.files(), signal: sending.signal });
      this.result.replaceChildren(...outcomeView(this.data, outcome, this.who.name()));
    } catch (error) {
      const text = sending.signal.aborted
        ? 'Stopped. The server may have carried out the request.'
        : `There was no response: ${String(error)}`;
      this.result.replaceChildren(element('p', { class: 'problem' }, text));
    } finally {
      this.sending = undefined;
      this.sendButton.textContent = 'Send';
    }
  }

  private files(): Record<string, Blob> {
    const chosen = this.boxes.map((box) => [box.field.name, box.file()] as const);
    return Object.fromEntries(chosen.filter((one): one is [string, File] => one[1] !== undefined));
  }

  /** Whether all fields are valid. Shows the problems of the others. */
  private isValid(): boolean {
    const invalid = this.boxes.filter((box) => {
      const problem = box.field.control === 'file' ? missing(box) : box.read().problem;
      box.showProblem(problem);
      return problem !== undefined;
    });
    invalid[0]?.row.closest('details')?.setAttribute('open', '');
    invalid[0]?.focus();
    return invalid.length === 0;
  }

  private paste(event: ClipboardEvent): void {
    const pasted = readCurl(event.clipboardData?.getData('text') ?? '');
    if (!pasted) return;
    event.preventDefault();
    const filled = fillFrom(pasted, this.data.call, this.data.fields);
    this.note.hidden = false;
    if (!filled) {
      this.note.textContent = `The command is for another operation: ${pasted.method} ${pasted.path}`;
      return;
    }
    for (const box of this.boxes) {
      box.write(filled.texts.has(box.field.name) ? filled.texts.get(box.field.name) || '""' : '');
      box.showProblem(undefined);
    }
    if (pasted.login) this.who.become(pasted.login);
    this.note.textContent = ['The form has the values of the pasted command.', ...missed(filled)].join(' ');
    this.openFilled();
    this.show();
    this.remember();
  }
}

/** The parts of a pasted command that the form leaves out. */
const missed = ({ unknown, left }: Filling): string[] => [
  ...(unknown.length > 0 ? [`Unknown parameters: ${unknown.join(', ')}.`] : []),
  ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
];

const missing = (box: FieldBox): string | undefined =>
  box.field.required && !box.file() ? 'Choose a file.' : undefined;

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as T;
}

/** Opens the console in its place on the page. */
export async function openConsole(container: HTMLElement): Promise<void> {
  const [data, demo] = await Promise.all([
    read<ConsoleData>(container.dataset.source ?? ''),
    read<{ users: DemoUser[] }>('/docs/demo.json').catch(() => ({ users: [] })),
  ]);
  new Console(data, container, demo.users);
  void markLevels(data, container, server);
}
