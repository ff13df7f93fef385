// Runs before the page is painted, so that it never shows in the wrong colours first.
(() => {
  const key = 'starlight-theme';
  let stored = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; the system's preference decides then.
  }
  const light = stored ? stored === 'light' : matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
  document.documentElement.dataset.js = '';
})();
