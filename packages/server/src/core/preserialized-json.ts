import { hash } from 'node:crypto';

/** A list whose items are serialized once and sent in many responses. Items are found by a number. */
export class PreserializedItems<Item extends object> {
  /** The response fields, by operation, in which every item was found valid. */
  readonly foundValidAs = new Set<string>();
  readonly #text: Buffer;
  /** The offset of each item, and the end of the last one. A comma separates two items. */
  readonly #starts: Uint32Array;
  readonly #indexes: ReadonlyMap<number, number>;
  readonly #numbers: readonly number[];
  #version: string | undefined;

  constructor(items: readonly Item[], numberOf: (item: Item) => number) {
    const texts = items.map((item) => JSON.stringify(item));
    this.#text = Buffer.from(texts.join(','));
    this.#starts = new Uint32Array(items.length + 1);
    let at = 0;
    for (const [n, text] of texts.entries()) {
      at += Buffer.byteLength(text) + 1;
      this.#starts[n + 1] = at;
    }
    this.#numbers = items.map(numberOf);
    this.#indexes = new Map(this.#numbers.map((number, n) => [number, n]));
  }

  /** The approximate size in bytes. */
  get bytes(): number {
    return this.#text.length + this.#indexes.size * PER_ITEM;
  }

  /** Another one if any item is. Computed once for all responses. */
  get version(): string {
    this.#version ??= toVersion(this.#text);
    return this.#version;
  }

  /** An item, made anew of its JSON. */
  item(number: number): Item | undefined {
    const index = this.#indexes.get(number);
    return index === undefined ? undefined : (JSON.parse(String(this.#slice(index, index + 1))) as Item);
  }

  /** All items, parsed. */
  items(): Item[] {
    return JSON.parse(`[${this.#text}]`) as Item[];
  }

  /** The whole list, with some items replaced. */
  all(instead: ReadonlyMap<number, Item> = new Map()): PreserializedJson<Item> {
    if (instead.size > 0) return this.#chosen(this.#numbers, instead);
    return new PreserializedJson(this, this.#numbers.length > 0 ? [this.#text] : [], {
      numbers: this.#numbers,
      own: [],
    });
  }

  /** These of its items, in its order, with some of them replaced. */
  only(numbers: ReadonlySet<number>, instead: ReadonlyMap<number, Item> = new Map()): PreserializedJson<Item> {
    return this.#chosen(
      this.#numbers.filter((number) => numbers.has(number)),
      instead,
    );
  }

  #chosen(numbers: readonly number[], instead: ReadonlyMap<number, Item>): PreserializedJson<Item> {
    const chosen = { numbers, own: numbers.flatMap((number) => instead.get(number) ?? []) };
    return new PreserializedJson(this, this.#pieces(numbers, instead), chosen);
  }

  /** Adjacent items stay together: the whole list is one piece. */
  #pieces(numbers: readonly number[], instead: ReadonlyMap<number, Item>): Buffer[] {
    const pieces: Buffer[] = [];
    let run: { from: number; to: number } | undefined;
    const add = (piece: Buffer) => void pieces.push(...(pieces.length > 0 ? [COMMA] : []), piece);
    const close = () => {
      if (run) add(this.#slice(run.from, run.to));
      run = undefined;
    };
    for (const number of numbers) {
      const index = this.#indexes.get(number) as number;
      const own = instead.get(number);
      if (own || (run && index !== run.to)) close();
      if (own) add(Buffer.from(JSON.stringify(own)));
      else run = { from: run?.from ?? index, to: index + 1 };
    }
    close();
    return pieces.length > MOST_PIECES ? joinSmall(pieces) : pieces;
  }

  #slice(from: number, to: number): Buffer {
    return this.#text.subarray(this.#starts[from], (this.#starts[to] ?? 0) - 1);
  }
}

const toVersion = (content: Buffer | string): string => hash('sha256', content, 'base64url');

/** What the index of a list takes up for each item. */
const PER_ITEM = 48;
/** Beyond this number, sending pieces one by one costs more than copying them. */
const MOST_PIECES = 32;
/** Bytes beyond which a piece is sent as it is. To copy 8 MiB took 20 to 80 ms. */
export const LARGE_BYTES = 16 * 1024;
/** The maximum size of joined pieces in bytes. */
const JOINED = 64 * 1024;
const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((sign) => Buffer.from(sign)) as [Buffer, Buffer, Buffer];

/** A list in a response that is already JSON. Items that were validated once are not validated again. */
export abstract class PreserializedList<Item extends object> {
  /** Its JSON. */
  abstract get pieces(): Buffer[];

  /** Another one if its JSON is. */
  get version(): string {
    return toVersion(Buffer.concat(this.pieces));
  }

  /** The items that nothing has validated yet as items of this field of a response. */
  abstract itemsToValidate(field: string): readonly Item[];

  /** Stores that the items were found valid. */
  abstract noteValidated(field: string): void;

  toJSON(): Item[] {
    return JSON.parse(String(Buffer.concat(this.pieces))) as Item[];
  }
}

/** The JSON of a list of these items, each of which is in pieces. */
export const toListPieces = (items: readonly (readonly Buffer[])[]): Buffer[] =>
  joinSmall([OPEN, ...items.flatMap((item, n) => (n === 0 ? item : [COMMA, ...item])), CLOSE]);

/** The same bytes. Small adjacent pieces are joined, large ones are not copied. */
function joinSmall(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  let bytes = 0;
  const join = () => {
    if (small.length > 0) joined.push(Buffer.concat(small));
    [small, bytes] = [[], 0];
  };
  for (const piece of pieces) {
    if (piece.length > LARGE_BYTES || bytes + piece.length > JOINED) join();
    if (piece.length > LARGE_BYTES) joined.push(piece);
    else {
      small.push(piece);
      bytes += piece.length;
    }
  }
  join();
  return joined;
}

/** A list in a response: items of a preserialized list, some of them replaced. */
export class PreserializedJson<Item extends object> extends PreserializedList<Item> {
  readonly source: PreserializedItems<Item>;
  /** The replaced items. */
  readonly own: readonly Item[];
  readonly #numbers: readonly number[];
  readonly #inside: readonly Buffer[];

  constructor(
    source: PreserializedItems<Item>,
    inside: readonly Buffer[],
    { numbers, own }: { readonly numbers: readonly number[]; readonly own: readonly Item[] },
  ) {
    super();
    this.source = source;
    this.own = own;
    this.#numbers = numbers;
    this.#inside = inside;
  }

  /** Of what decides about its JSON, which is hashed once for all lists of one source. */
  override get version(): string {
    return toVersion(JSON.stringify([this.source.version, this.#numbers, this.own]));
  }

  get pieces(): Buffer[] {
    return [OPEN, ...this.#inside, CLOSE];
  }

  itemsToValidate(field: string): readonly Item[] {
    return this.source.foundValidAs.has(field) ? this.own : [...this.source.items(), ...this.own];
  }

  noteValidated(field: string): void {
    this.source.foundValidAs.add(field);
  }
}

/** A response whose lists can be preserialized. */
export type MaybePreserialized<Answer> = {
  [Field in keyof Answer]: NonNullable<Answer[Field]> extends readonly (infer Item extends object)[]
    ? Answer[Field] | PreserializedList<Item>
    : Answer[Field];
};
