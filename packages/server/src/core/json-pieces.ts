/** The UTF-16 units of a string that are serialized together. */
const PART = 32 * 1024;

/**
 * The JSON of an object of plain values, in pieces: the bytes of `JSON.stringify`. The parts of a long field are serialized one by one: for a
 * text or a buffer of more than 128 KiB, V8 and the allocator of memory map new pages, which takes longer than to serialize it.
 */
export function toJsonPieces(item: object): Buffer[] {
  const isShort = !Object.values(item).some(isLong);
  const pieces = isShort
    ? [JSON.stringify(item)]
    : joinFields(item, (value) => (isLong(value) ? serialize(value) : undefined));
  return pieces.map((piece) => Buffer.from(piece));
}

/** The JSON of an object, in pieces. `piecesOf` returns those of a value that has its own. */
export function joinFields<Piece>(
  item: object,
  piecesOf: (value: unknown) => Iterable<Piece> | undefined,
): (string | Piece)[] {
  const pieces: (string | Piece)[] = [];
  let text = '{';
  let separator = '';
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    const own = piecesOf(value);
    if (own) {
      pieces.push(text, ...own);
      text = '';
    } else text += JSON.stringify(value);
  }
  return [...pieces, `${text}}`];
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > PART;

function* serialize(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const end = start + PART;
    // The two units of one character have escapes of their own when they are apart.
    const stop = isFirstUnit(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield JSON.stringify(text.slice(start, stop)).slice(1, -1);
    start = stop;
  }
  yield '"';
}

/** Whether it is the first of the two units of a character beyond the basic plane. */
const isFirstUnit = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
