const SHOWN_FOR = 1500;

/** A button that copies a text, and shows whether that succeeded. */
export function copyButton(text: () => string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = await copied(text());
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_FOR);
  });
  return button;
}

async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    // The reader can forbid it, and over plain HTTP from another machine the browser has no clipboard API.
    return 'Not allowed';
  }
}
