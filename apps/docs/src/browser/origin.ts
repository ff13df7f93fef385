import { SERVER } from '../model/urls.ts';

/** Inserts the address of the server that served this page into samples, so that they work without changes. */
export function nameThisServer(samples: Element): void {
  const texts = document.createTreeWalker(samples, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    text.nodeValue = text.nodeValue?.replaceAll(SERVER, location.origin) ?? null;
  }
}
