// JSON from requests. The objects that JSON.parse would build are counted first: a key costs far more than its bytes.
import { failInvalid } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

interface JsonCounts {
  /** Fields of objects at all levels, arrays and objects. */
  readonly nodes: number;
  /** Commas outside of strings: one less than the items, in each array and object. */
  readonly commas: number;
  /** Fields of the outermost object. */
  readonly fields: number;
  readonly depth: number;
}

/** Parses JSON within the limits of a request. `what` names it in the error response. */
export function parseJson(text: string, what: string): unknown {
  requireBoundedJson(text, what);
  return JSON.parse(text) as unknown;
}

/** How JSON begins, and its words. Any other text would be an error, which takes longer to make than a request to decode. */
const JSON_TEXT = /^\s*(?:["[{\d-]|(?:true|false|null)\s*$)/;

/** Parses JSON within the limits of a request. Undefined if the text is not JSON. */
export function findJson(text: string, what: string): unknown {
  requireBoundedJson(text, what);
  if (!JSON_TEXT.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

export function requireBoundedJson(text: string, what: string): void {
  // A text this short cannot exceed any of the limits.
  if (text.length <= bounds.depth) return;
  const { nodes, commas, fields, depth } = countJson(text);
  if (fields > bounds.fields) failInvalid(`${what} can have at most ${bounds.fields} fields.`);
  if (nodes > bounds.json_nodes) {
    failInvalid(`${what} can have at most ${bounds.json_nodes} keys, lists and objects.`);
  }
  if (commas > bounds.json_values) failInvalid(`${what} can have at most ${bounds.json_values} values.`);
  // One level for the object around all parameters, and one so that the error of a value just beyond the limit names
  // its parameter.
  if (depth > bounds.depth + 2) failInvalid(`${what} can be nested at most ${bounds.depth} levels deep.`);
}

/** One pass over the text, which need not be valid: JSON.parse rejects the rest. */
function countJson(text: string): JsonCounts {
  let [nodes, commas, fields, level, depth] = [0, 0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        commas++;
        break;
      case COLON:
        nodes++;
        if (level === 1) fields++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        nodes++;
        depth = Math.max(depth, ++level);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level--;
    }
  }
  return { nodes, commas, fields, depth };
}

/** The index of the quote that ends the string which begins here. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
