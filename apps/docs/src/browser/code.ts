// Adds a copy button to each code block, inserts the address of this server into samples, and stores which language of the
// samples the reader has chosen.
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
  const chosen = localStorage.getItem(KEY);
  for (const choice of choices) {
    if (choice.value === chosen) choice.checked = true;
    choice.addEventListener('change', () => localStorage.setItem(KEY, choice.value));
  }
} catch {
  // Without storage each page starts with the first sample.
}
