// Opens the console when a reader asks for it. Until then a page carries none of it.
for (const place of document.querySelectorAll<HTMLElement>('.console')) {
  const open = place.querySelector<HTMLButtonElement>('.open');
  open?.addEventListener('click', async () => {
    open.disabled = true;
    open.textContent = 'Opening …';
    try {
      const { openConsole } = await import('./console/index.ts');
      const room = document.createElement('div');
      room.className = 'room';
      room.dataset.source = place.dataset.source ?? '';
      await openConsole(room);
      open.replaceWith(room);
      room.querySelector<HTMLElement>('textarea, input, select, button')?.focus();
    } catch {
      open.disabled = false;
      open.textContent = 'It did not open. Try again';
    }
  });
}
