import { toSiteUrl } from '../model/behaviour.ts';

/** As much of a hast node as the plugin looks at. */
interface LinkNode {
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: LinkNode[];
}

/** Has links between Markdown files lead to the pages that the files become. */
export function linkPages() {
  return (tree: LinkNode): void => visit(tree);
}

function visit({ tagName, properties, children = [] }: LinkNode): void {
  if (tagName === 'a' && properties && typeof properties.href === 'string')
    properties.href = toSiteUrl(properties.href);
  for (const child of children) visit(child);
}
