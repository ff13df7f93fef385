import { LONGEST } from './longest.ts';

/** The maximum number of nodes of the tree, which take 10 MB. */
const NODES = 100_000;
/** The maximum characters of all texts that are stored. */
const CHARACTERS = 4_000_000;

/** A parameter, in place of its text. */
export const PARAM = Symbol('parameter');
type Part = string | typeof PARAM;

let [nodes, characters] = [0, 0];

/**
 * The beginning of a statement up to one of its parts, as a node of a tree of all statements. A statement with the same
 * parts as an earlier one ends at the same node, which has its text: to put together the text of a page of messages, and
 * to hash it to find the prepared statement, would take as long as all other work on its parameters.
 */
export class Shape {
  readonly #before: Shape | undefined;
  readonly #part: Part;
  /** The number of parameters up to here. */
  readonly #params: number;
  readonly #isStored: boolean;
  /** What follows: most nodes have one. */
  #next: Shape | undefined;
  #others: Map<Part, Shape> | undefined;
  #text: string | undefined;

  constructor(before: Shape | undefined, part: Part, isStored: boolean) {
    this.#before = before;
    this.#part = part;
    this.#params = (before ? before.#params : 0) + (part === PARAM ? 1 : 0);
    this.#isStored = isStored;
  }

  with(part: Part): Shape {
    if (part === '') return this;
    const next = this.#next;
    if (next && next.#part === part) return next;
    return this.#others?.get(part) ?? this.#add(part);
  }

  /** The text of the statement that ends here. */
  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const text = this.#write();
    if (this.#isStored && text.length <= LONGEST && characters + text.length <= CHARACTERS) {
      characters += text.length;
      this.#text = text;
    }
    return text;
  }

  #add(part: Part): Shape {
    const isStored = this.#isStored && nodes < NODES;
    const added = new Shape(this, part, isStored);
    if (!isStored) return added;
    nodes++;
    if (!this.#next) this.#next = added;
    else if (this.#others) this.#others.set(part, added);
    else this.#others = new Map([[part, added]]);
    return added;
  }

  #write(): string {
    const parts: string[] = [];
    for (let node: Shape | undefined = this; node; node = node.#before) {
      parts.push(node.#part === PARAM ? `$${node.#params}` : node.#part);
    }
    return parts.reverse().join('');
  }
}

/** What every statement begins with. */
export const EMPTY = new Shape(undefined, '', true);
