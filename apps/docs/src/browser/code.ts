// Adds a copy button to every piece of code, and remembers which language of the samples the reader likes.
const KEY = 'parley-sample';

for (const block of document.querySelectorAll<HTMLElement>('[data-code]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(block, button));
  // Inside the frame and floating, so that code flows around it.
  block.querySelector('pre')?.prepend(button);
}

async function copy(block: HTMLElement, button: HTMLElement): Promise<void> {
  const text = block.querySelector('code')?.textContent ?? '';
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  );
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
}

const choices = [...document.querySelectorAll<HTMLInputElement>('.samples input[type="radio"]')];
try {
  const liked = localStorage.getItem(KEY);
  for (const choice of choices) {
    if (choice.value === liked) choice.checked = true;
    choice.addEventListener('change', () => localStorage.setItem(KEY, choice.value));
  }
} catch {
  // Without storage every page starts with the first sample.
}
