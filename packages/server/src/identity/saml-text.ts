import { bounds } from '../core/limits.ts';

/**
 * The reason why a text must not be given to the XML libraries; undefined: it can be. They parse it long before they
 * verify a signature, in quadratic time for some inputs, so that any client could block the process for minutes.
 */
export function findSamlProblem(text: string): string | undefined {
  // No provider needs a document type (which declares entities) or CDATA. For other declarations `sax` copies
  // everything read so far at every character, so one of 380 KB takes minutes.
  if (/<!(?!--)/.test(text)) return 'the response has a document type or another declaration';
  if (text.lastIndexOf('<!--') > text.lastIndexOf('-->')) return 'the response has a comment without an end';
  if (text.trimStart().lastIndexOf('<?') > 0) return 'the response has a processing instruction';
  const marks = text.match(/<|xmlns/g)?.length ?? 0;
  return marks > bounds.proof_marks
    ? `the response has more than ${bounds.proof_marks} tags and namespaces`
    : undefined;
}
