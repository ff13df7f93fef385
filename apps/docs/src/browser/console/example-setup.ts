import { type ExampleSetup, runSetup, type SetupOptions } from '../../model/example-setup.ts';
import { button, element } from './elements.ts';

/** Offers to do what came before the example, so that the call finds what it is about. */
export function createSetupRow(
  exampleSetup: ExampleSetup | undefined,
  setting: SetupOptions,
  fill: (params: Record<string, unknown>) => void,
): HTMLElement {
  if (!exampleSetup)
    return element('p', { class: 'note' }, 'An operator prepared this example; without that the call is refused.');
  const note = element('span', { class: 'note', role: 'status' }, wordsFor(exampleSetup));
  const set = async () => {
    doing.disabled = true;
    note.textContent = 'Setting the scene …';
    const { params, problem } = await runSetup(exampleSetup, setting);
    doing.disabled = false;
    fill(params);
    note.textContent = problem === undefined ? 'Done. The form names what there is now.' : undone(problem, params);
  };
  const doing = button('Set the scene', 'plain', () => void set());
  return element('div', { class: 'scene' }, doing, note);
}

/** Why there is no scene, and which fields are empty for want of it. */
function undone(problem: string, params: Record<string, unknown>): string {
  const empty = Object.keys(params).filter((name) => params[name] === undefined);
  return empty.length === 0
    ? problem
    : `${problem} Empty now, since it would have come from there: ${empty.join(', ')}.`;
}

/** “Before it: Cordelia sendMessage, Hamlet addReaction.” */
const wordsFor = ({ steps }: ExampleSetup): string =>
  `Before the example: ${steps.map(({ as, call }) => `${capital(as)} ${call.operationId}`).join(', ')}.`;

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
