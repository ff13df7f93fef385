/** The properties of a hast node that the plugin reads. */
interface TableNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: TableNode[];
}

/**
 * Makes each table of a page a region that can be scrolled with the keyboard, with its heading as its name. Pages that write
 * the region themselves need no change.
 */
export function wideTables() {
  return (tree: TableNode, file: { path?: string }): void => {
    if (file.path === undefined || !/[/\\]docs[/\\]behaviour[/\\]/.test(file.path)) return;
    let heading = '';
    for (const [at, child] of (tree.children ?? []).entries()) {
      if (/^h[2-6]$/.test(child.tagName ?? '')) heading = textOf(child);
      if (child.tagName === 'table' && tree.children) tree.children[at] = region(child, heading);
    }
  };
}

const textOf = ({ value = '', children = [] }: TableNode): string => value + children.map(textOf).join('');

const region = (table: TableNode, label: string): TableNode => ({
  type: 'element',
  tagName: 'div',
  properties: { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': label },
  children: [table],
});
