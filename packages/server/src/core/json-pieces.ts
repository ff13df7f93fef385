/** The UTF-16 units of a string that are serialized together. */
const PART = 32 * 1024;

/**
 * The JSON of an object of plain values, in pieces: the bytes of `JSON.stringify`. Each part of a long string is serialized by itself: for a
 * text or a buffer of more than 128 KiB, V8 and the allocator of memory map new pages, which takes longer than to serialize it.
 */
export function toJsonPieces(item: object): Buffer[] {
  if (!Object.values(item).some(isLong)) return [Buffer.from(JSON.stringify(item))];
  const pieces: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    text += `${text === '{' && pieces.length === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (isLong(value)) {
      text += '"';
      for (const part of toParts(value)) {
        pieces.push(Buffer.from(text + JSON.stringify(part).slice(1, -1)));
        text = '';
      }
      text = '"';
    } else text += JSON.stringify(value);
  }
  return [...pieces, Buffer.from(`${text}}`)];
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > PART;

/** Cuts a string, but not between the two units of one character, which have escapes of their own. */
function* toParts(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + PART;
    const stop = isFirstUnit(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(start, stop);
    start = stop;
  }
}

/** Whether it is the first of the two units of a character beyond the basic plane. */
const isFirstUnit = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
