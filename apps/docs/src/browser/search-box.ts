import { createSearch, type Search, type SearchEntry } from '../model/search.ts';

/** The search box: fetches the index when it first opens, and searches while the reader types. */
class SearchBox extends HTMLElement {
  private search: Promise<Search> | undefined;

  connectedCallback(): void {
    const open = this.querySelector<HTMLButtonElement>('.open');
    const dialog = this.querySelector('dialog');
    const input = this.querySelector('input');
    const list = this.querySelector('ul');
    const status = this.querySelector<HTMLElement>('.status');
    if (!open || !dialog || !input || !list || !status) return;
    open.hidden = false;
    const show = () => {
      void this.load();
      dialog.showModal();
      input.select();
    };
    open.addEventListener('click', show);
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
    addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (dialog.open) dialog.close();
      else show();
    });
    input.addEventListener('input', () => void this.showResults(input.value, list, status));
    dialog.addEventListener('keydown', (event) => this.move(event, input));
  }

  /** The index; undefined if the request fails. The next keystroke tries again. */
  private async load(): Promise<Search | undefined> {
    this.search ??= fetched(this.dataset.index ?? '').then(createSearch);
    try {
      return await this.search;
    } catch {
      this.search = undefined;
      return undefined;
    }
  }

  private async showResults(query: string, list: HTMLElement, status: HTMLElement): Promise<void> {
    const search = await this.load();
    const hits = search?.(query) ?? [];
    list.replaceChildren(...hits.map(item));
    status.textContent = hits.length > 0 ? '' : whyNothing(search !== undefined, query);
    status.hidden = hits.length > 0;
  }

  /** Arrow keys walk through the results; Enter in the box opens the first. */
  private move(event: KeyboardEvent, input: HTMLInputElement): void {
    const links = [...this.querySelectorAll<HTMLElement>('li a')];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Enter' && document.activeElement === input) {
      event.preventDefault();
      links[0]?.click();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = event.key === 'ArrowDown' ? at + 1 : at - 1;
      (links[next] ?? (next < 0 ? input : links.at(-1)))?.focus();
    }
  }
}

async function fetched(url: string): Promise<SearchEntry[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The response to the request for the index has the status ${response.status}.`);
  return (await response.json()) as SearchEntry[];
}

function whyNothing(isLoaded: boolean, query: string): string {
  if (!isLoaded) return 'The search index could not be loaded. Type again to retry.';
  return query.trim() === '' ? 'Search operations, events, error codes and guides.' : 'No results.';
}

function item({ url, title, kind, mark, about }: SearchEntry): HTMLElement {
  const link = document.createElement('a');
  link.href = url;
  const badge = kind === 'operation' ? `badge method method-${mark?.toLowerCase()}` : `badge kind-${kind}`;
  link.append(span(badge, mark ?? 'guide'), span('title', title), span('about', about));
  const row = document.createElement('li');
  row.append(link);
  return row;
}

function span(className: string, text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = className;
  made.textContent = text;
  return made;
}

customElements.define('site-search', SearchBox);
