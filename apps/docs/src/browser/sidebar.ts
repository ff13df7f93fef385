// Keeps the scroll position of the sidebar from page to page, and the current page visible.
const KEY = 'parley-sidebar-scroll';
const pane = document.getElementById('starlight__sidebar');
const current = pane?.querySelector<HTMLElement>('[aria-current="page"]');

if (pane && matchMedia('(min-width: 50em)').matches) {
  try {
    pane.scrollTop = Number(sessionStorage.getItem(KEY) ?? 0);
    addEventListener('pagehide', () => sessionStorage.setItem(KEY, String(pane.scrollTop)));
  } catch {
    // Without storage the sidebar starts at the top.
  }
  const box = current?.getBoundingClientRect();
  if (box && (box.top < 80 || box.bottom > innerHeight)) current?.scrollIntoView({ block: 'center' });
}
