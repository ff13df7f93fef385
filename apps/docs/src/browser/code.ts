// Adds a copy button to every piece of code, has samples name the server that is read from, and remembers which language
// of the samples the reader likes.
import { copyButton } from './copy.ts';
import { nameThisServer } from './origin.ts';

const KEY = 'parley-sample';

for (const block of document.querySelectorAll<HTMLElement>('[data-code]')) {
  // Inside the frame and floating, so that code flows around it.
  block.querySelector('pre')?.prepend(copyButton(() => block.querySelector('code')?.textContent ?? ''));
}

for (const samples of document.querySelectorAll('.samples, [data-code]')) nameThisServer(samples);

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
