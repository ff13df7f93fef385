import { encodeForm } from '@parley/client';
import { isDestructive } from '../../model/is-destructive.ts';
import { addressed, type SampleCall } from '../../model/samples.ts';
import { button, element } from './elements.ts';

/** Asks before a call takes something away, with what will be sent. All others are meant. */
export function confirmDestructive(container: HTMLElement, call: SampleCall, name: string): Promise<boolean> {
  if (!isDestructive(call)) return Promise.resolve(true);
  const { path, rest } = addressed(call);
  const question = `Really send ${call.method.toUpperCase()} ${path} as ${name || 'nobody'}?`;
  const sent = [...encodeForm(rest)].map(([key, value]) => element('p', { class: 'with' }, `${key}=${value}`));
  const dialog = element('dialog', { class: 'ask', 'aria-labelledby': 'console-ask' });
  return new Promise((resolve) => {
    const decide = (sure: boolean) => () => {
      resolve(sure);
      dialog.close();
    };
    const cancel = button('Cancel', 'plain', decide(false));
    dialog.append(
      element('p', { id: 'console-ask' }, question),
      ...sent,
      element('p', { class: 'note' }, 'It takes something away on this server, and may not be undone from here.'),
      element('div', { class: 'act' }, button('Yes, send it', 'send danger', decide(true)), cancel),
    );
    dialog.addEventListener('close', () => {
      resolve(false);
      dialog.remove();
    });
    container.append(dialog);
    dialog.showModal();
    cancel.focus();
  });
}
