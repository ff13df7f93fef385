import { encodeForm } from '@parley/client';
import { isDestructive } from '../../model/is-destructive.ts';
import { addressed, type SampleCall } from '../../model/samples.ts';
import { button, element } from './elements.ts';

/** Asks the reader before a call that deletes or removes something, and shows its parameters. True for all other calls. */
export function confirmDestructive(container: HTMLElement, call: SampleCall, name: string): Promise<boolean> {
  if (!isDestructive(call)) return Promise.resolve(true);
  const { path, rest } = addressed(call);
  const question = `Really send ${call.method.toUpperCase()} ${path} ${name ? `as ${name}` : 'without credentials'}?`;
  const sent = [...encodeForm(rest)].map(([key, value]) => element('p', { class: 'with' }, `${key}=${value}`));
  const dialog = element('dialog', { class: 'confirm', 'aria-labelledby': 'console-confirm' });
  return new Promise((resolve) => {
    const decide = (sure: boolean) => () => {
      resolve(sure);
      dialog.close();
    };
    const cancel = button('Cancel', 'plain', decide(false));
    dialog.append(
      element('p', { id: 'console-confirm' }, question),
      ...sent,
      element(
        'p',
        { class: 'note' },
        'This request deletes or removes data on this server. You may not be able to undo it here.',
      ),
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
