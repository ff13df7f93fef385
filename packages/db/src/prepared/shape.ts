import { LONGEST } from './longest.ts';

/** A parameter, in place of its text. */
export const PARAM = Symbol('parameter');
type Part = string | typeof PARAM;

/** What a tree can grow to before it begins again. */
interface Limits {
  /** Nodes take about 100 bytes each. */
  readonly nodes: number;
  /** Characters of all texts. */
  readonly characters: number;
}

/** The statements that were put together, by their parts. */
export class ShapeTree {
  readonly #limits: Limits;
  #size = { nodes: 0, characters: 0 };
  #start = new Shape(undefined, '', this.#size);

  constructor(limits: Limits = { nodes: 100_000, characters: 4_000_000 }) {
    this.#limits = limits;
  }

  /** The number of nodes. */
  get nodes(): number {
    return this.#size.nodes;
  }

  /** What every statement begins with. Forgets all statements if there are too many: those in use come back with their next call. */
  begin(): Shape {
    if (this.#size.nodes >= this.#limits.nodes || this.#size.characters >= this.#limits.characters) {
      this.#size = { nodes: 0, characters: 0 };
      this.#start = new Shape(undefined, '', this.#size);
    }
    return this.#start;
  }
}

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
  /** Of the tree. */
  readonly #size: { nodes: number; characters: number };
  /** What follows: most nodes have one. */
  #next: Shape | undefined;
  #others: Map<Part, Shape> | undefined;
  #text: string | undefined;

  constructor(before: Shape | undefined, part: Part, size: { nodes: number; characters: number }) {
    this.#before = before;
    this.#part = part;
    this.#params = (before ? before.#params : 0) + (part === PARAM ? 1 : 0);
    this.#size = size;
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
    if (text.length <= LONGEST) {
      this.#size.characters += text.length;
      this.#text = text;
    }
    return text;
  }

  #add(part: Part): Shape {
    const added = new Shape(this, part, this.#size);
    this.#size.nodes++;
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
