import { SERVER } from '../model/urls.ts';

/** Has samples name the server that this page came from, so that they work as they are copied. */
export function nameThisServer(samples: Element): void {
  const texts = document.createTreeWalker(samples, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    text.nodeValue = text.nodeValue?.replaceAll(SERVER, location.origin) ?? null;
  }
}
