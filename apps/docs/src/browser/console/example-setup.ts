import { type ExampleSetup, runSetup, type SetupOptions } from '../../model/example-setup.ts';
import { button, element } from './elements.ts';

/** A button that makes the calls before the example, so that the objects of the call exist. */
export function createSetupRow(
  exampleSetup: ExampleSetup | undefined,
  setting: SetupOptions,
  fill: (params: Record<string, unknown>) => void,
): HTMLElement {
  if (!exampleSetup)
    return element('p', { class: 'note' }, 'An operator prepared this example. Without that the call fails.');
  const note = element('span', { class: 'note', role: 'status' }, wordsFor(exampleSetup));
  const set = async () => {
    doing.disabled = true;
    note.textContent = 'Running the setup …';
    const { params, problem } = await runSetup(exampleSetup, setting);
    doing.disabled = false;
    fill(params);
    note.textContent =
      problem === undefined ? 'Done. The form has the values of the new objects.' : undone(problem, params);
  };
  const doing = button('Run the setup', 'plain', () => void set());
  return element('div', { class: 'setup' }, doing, note);
}

/** Why the setup failed, and which fields are empty because of that. */
function undone(problem: string, params: Record<string, unknown>): string {
  const empty = Object.keys(params).filter((name) => params[name] === undefined);
  return empty.length === 0
    ? problem
    : `${problem} These fields are empty, because the setup provides their values: ${empty.join(', ')}.`;
}

/** “Before the example: Cordelia sendMessage, Hamlet addReaction.” */
const wordsFor = ({ steps }: ExampleSetup): string =>
  `Before the example: ${steps.map(({ as, call }) => `${capital(as)} ${call.operationId}`).join(', ')}.`;

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
