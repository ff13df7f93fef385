import type { ConsoleField } from '../../model/console.ts';
import { type Entered, entered } from '../../model/form.ts';
import type { Schemas } from '../../model/validate.ts';
import { element } from './elements.ts';

/** One parameter of the form. */
export interface FieldBox {
  readonly field: ConsoleField;
  readonly row: HTMLElement;
  read(): Entered;
  /** Its text, valid or not. */
  typed(): string;
  file(): File | undefined;
  write(text: string): void;
  /** Shows the problem of the field, or removes it. */
  showProblem(problem: string | undefined): void;
  focus(): void;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function fieldBox(field: ConsoleField, schemas: Schemas, changed: () => void): FieldBox {
  const id = `console-${field.name}`;
  const control = controlOf(field, id);
  const isFile = control instanceof HTMLInputElement && control.type === 'file';
  const problem = element('p', { class: 'problem', id: `${id}-problem`, hidden: true });
  const label = element('label', { for: id }, element('code', {}, field.name));
  if (field.required) label.append(element('span', { class: 'required' }, 'required'));
  const head = element(
    'div',
    { class: 'head' },
    label,
    element('span', { class: 'type', id: `${id}-type` }, field.control === 'choice' ? '' : field.type),
  );
  const row = element('div', { class: 'entry', 'data-field': field.name }, head, control, problem);
  const box: FieldBox = {
    field,
    row,
    read: () => (isFile ? {} : entered(field, control.value, schemas)),
    typed: () => (isFile ? '' : control.value),
    file: () => (control instanceof HTMLInputElement ? control.files?.[0] : undefined),
    write(text) {
      if (!isFile) control.value = text;
    },
    showProblem(text) {
      problem.textContent = text ?? '';
      problem.hidden = text === undefined;
      control.toggleAttribute('aria-invalid', text !== undefined);
      if (text !== undefined) control.setAttribute('aria-invalid', 'true');
    },
    focus: () => control.focus(),
  };
  control.addEventListener('input', () => {
    box.showProblem(undefined);
    changed();
  });
  return box;
}

function controlOf(field: ConsoleField, id: string): Control {
  const common = { id, name: field.name, 'aria-describedby': `${id}-type ${id}-problem`, autocomplete: 'off' };
  if (field.control === 'file') return element('input', { ...common, type: 'file' });
  if (field.control === 'choice') {
    const none = element(
      'option',
      { value: '' },
      field.default === undefined ? 'not sent' : `not sent: ${field.default}`,
    );
    return element('select', common, none, ...field.values.map((value) => element('option', { value }, value)));
  }
  const hint = { placeholder: field.default === undefined ? '' : `not sent: ${field.default}` };
  if (field.control === 'number') return element('input', { ...common, ...hint, type: 'text', inputmode: 'numeric' });
  return element('textarea', { ...common, ...hint, rows: '1', spellcheck: 'false' });
}
