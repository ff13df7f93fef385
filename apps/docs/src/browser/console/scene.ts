import { type Scene, setScene } from '../../model/scene.ts';
import type { Login } from '../../model/send.ts';
import { button, element } from './elements.ts';

/** Offers to do what came before the example, so that the call finds what it is about. */
export function sceneRow(
  scene: Scene | undefined,
  server: string,
  loginOf: (name: string) => Login | undefined,
  fill: (params: Record<string, unknown>) => void,
): HTMLElement {
  if (!scene)
    return element('p', { class: 'note' }, 'An operator prepared this example; without that the call is refused.');
  const note = element('span', { class: 'note', role: 'status' }, wordsFor(scene));
  const set = async () => {
    doing.disabled = true;
    note.textContent = 'Setting the scene …';
    const done = await setScene(scene, server, loginOf).catch((error: unknown) => ({ problem: String(error) }));
    doing.disabled = false;
    if ('problem' in done) {
      note.textContent = `${done.problem} Perhaps it was done before.`;
      return;
    }
    fill(done.params);
    note.textContent = 'Done. The form names what there is now.';
  };
  const doing = button('Set the scene', 'plain', () => void set());
  return element('div', { class: 'scene' }, doing, note);
}

/** “Before it: Cordelia sendMessage, Hamlet addReaction.” */
const wordsFor = ({ steps }: Scene): string =>
  `Before the example: ${steps.map(({ as, call }) => `${capital(as)} ${call.operationId}`).join(', ')}.`;

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
