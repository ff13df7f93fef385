import { toSiteUrl } from '../model/behaviour.ts';

/** The properties of a hast node that the plugin reads. */
interface LinkNode {
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: LinkNode[];
}

/** Changes links between Markdown files into links between their pages. */
export function linkPages() {
  return (tree: LinkNode): void => visit(tree);
}

function visit({ tagName, properties, children = [] }: LinkNode): void {
  if (tagName === 'a' && properties && typeof properties.href === 'string')
    properties.href = toSiteUrl(properties.href);
  for (const child of children) visit(child);
}
