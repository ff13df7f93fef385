const KEY = 'starlight-theme';
const light = matchMedia('(prefers-color-scheme: light)');

function stored(): string {
  try {
    return localStorage.getItem(KEY) || 'auto';
  } catch {
    return 'auto';
  }
}

function show(theme: string): void {
  document.documentElement.dataset.theme = theme === 'auto' ? (light.matches ? 'light' : 'dark') : theme;
  for (const select of document.querySelectorAll<HTMLSelectElement>('theme-select select')) select.value = theme;
}

function choose(theme: string): void {
  try {
    localStorage.setItem(KEY, theme === 'auto' ? '' : theme);
  } catch {
    // The choice then lasts for this page.
  }
  show(theme);
}

for (const select of document.querySelectorAll<HTMLSelectElement>('theme-select select')) {
  select.addEventListener('change', () => choose(select.value));
}
light.addEventListener('change', () => show(stored()));
show(stored());
