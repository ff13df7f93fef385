// Opens the console when the reader clicks the button. The page loads its code only then.
import { remembered } from './console/session-storage.ts';

for (const container of document.querySelectorAll<HTMLElement>('.console')) {
  const button = container.querySelector<HTMLButtonElement>('.open');
  if (!button) continue;
  button.addEventListener('click', async () => {
    const room = await opened(container, button);
    room?.querySelector<HTMLElement>('textarea, input, select, button')?.focus();
  });
  // A reader who returns to the page finds the console as it was.
  if (remembered()) void opened(container, button);
}

async function opened(container: HTMLElement, button: HTMLButtonElement): Promise<HTMLElement | undefined> {
  button.disabled = true;
  button.textContent = 'Opening …';
  try {
    const { openConsole } = await import('./console/index.ts');
    const room = document.createElement('div');
    room.className = 'room';
    room.dataset.source = container.dataset.source ?? '';
    await openConsole(room);
    button.replaceWith(room);
    return room;
  } catch {
    button.disabled = false;
    button.textContent = 'Opening failed. Try again';
    return undefined;
  }
}
