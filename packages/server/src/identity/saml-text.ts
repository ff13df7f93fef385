import { bounds } from '../core/limits.ts';

/**
 * Why a text is not worth giving to the XML libraries; undefined: it is. They read it long before they look at a signature,
 * and take the square of the time for some shapes of it, so that anybody could keep the process busy for minutes.
 */
export function findSamlProblem(text: string): string | undefined {
  // No provider needs a document type (entities are declared there) or CDATA; of other declarations `sax` copies all it has
  // read at every character, so one of 380 KB takes minutes.
  if (/<!(?!--)/.test(text)) return 'the answer has a document type or another declaration';
  if (text.lastIndexOf('<!--') > text.lastIndexOf('-->')) return 'the answer has a comment without an end';
  if (text.trimStart().lastIndexOf('<?') > 0) return 'the answer has a processing instruction';
  const marks = text.match(/<|xmlns/g)?.length ?? 0;
  return marks > bounds.proof_marks ? `the answer has more than ${bounds.proof_marks} tags and namespaces` : undefined;
}
