import { type Document, type Node, operationsOf, type Place, resolve } from './document.ts';
import { fieldsOf, kinds, takesKey } from './operations.ts';

/** The document as strangers read it: what follows from rules that hold everywhere is said wherever it holds. */
export function publishedOf(doc: Document): Document {
  const published = structuredClone(doc);
  for (const place of operationsOf(published)) {
    if (takesKey(published, place)) sayKey(place);
    sayEncodings(published, place);
  }
  return published;
}

/** An `Idempotency-Key` is no parameter of the operation itself. */
function sayKey({ operation }: Place): void {
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/IdempotencyKey' }];
}

/** Lists and objects travel as JSON inside a form. Where a text is possible as well, it stands as it is, and no encoding is true. */
function sayEncodings(doc: Document, { operation }: Place): void {
  for (const media of Object.values<Node>(resolve(doc, operation.requestBody).content ?? {})) {
    const structured = Object.entries(fieldsOf(doc, media.schema).properties).filter(([, field]) => {
      const possible = kinds(doc, field);
      return !possible.includes('string') && possible.some((kind) => kind === 'array' || kind === 'object');
    });
    if (structured.length === 0) continue;
    media.encoding = Object.fromEntries(structured.map(([name]) => [name, { contentType: 'application/json' }]));
  }
}
