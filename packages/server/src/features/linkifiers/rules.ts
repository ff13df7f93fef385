import type { FieldProblem } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import { codePoints } from '../../text/names.ts';
import { compilePattern, type Pattern } from '../../text/patterns.ts';
import { parseUrlTemplate, type UrlTemplate } from '../../text/url-template.ts';

/** The editable fields of a linkifier. */
export interface LinkifierValues {
  readonly pattern: string;
  readonly url_template: string;
}

export function trimValues({ pattern, url_template }: LinkifierValues): LinkifierValues {
  return { pattern: pattern.trim(), url_template: url_template.trim() };
}

/** The problems of a linkifier by itself, in the order of docs/behaviour/linkifiers.md#validation-of-linkifiers. */
export function valueProblems(values: LinkifierValues): FieldProblem[] {
  const blank = (['pattern', 'url_template'] as const)
    .filter((field) => values[field] === '')
    .map((field) => ({ field, text: 'It must not be blank.' }));
  const pattern = values.pattern === '' ? undefined : patternOf(values.pattern);
  const template = values.url_template === '' ? undefined : templateOf(values.url_template);
  return [
    ...blank,
    ...(typeof pattern === 'string' ? [{ field: 'pattern', text: pattern }] : []),
    ...(typeof template === 'string' ? [{ field: 'url_template', text: template }] : []),
    ...(typeof pattern === 'object' && typeof template === 'object' ? mismatch(pattern, template) : []),
  ];
}

function patternOf(source: string): Pattern | string {
  if (codePoints(source) > bounds.pattern) return `It can have at most ${bounds.pattern} characters.`;
  return compilePattern(source);
}

function templateOf(source: string): UrlTemplate | string {
  if (codePoints(source) > bounds.url_template) return `It can have at most ${bounds.url_template} characters.`;
  return parseUrlTemplate(source) ?? 'It is not a URI template (RFC 6570).';
}

/** Every group of the pattern must be a variable of the URL template, and vice versa. */
function mismatch({ groups }: Pattern, { variables }: UrlTemplate): FieldProblem[] {
  const [variable] = variables.filter((name) => !groups.includes(name)).sort();
  if (variable !== undefined) {
    return [{ field: '__all__', text: `The pattern has no group "${variable}", which the URL template names.` }];
  }
  const [group] = groups.filter((name) => !variables.includes(name)).sort();
  if (group === undefined) return [];
  return [{ field: '__all__', text: `The URL template has no variable for the group "${group}" of the pattern.` }];
}

export function patternTakenProblem({ pattern }: LinkifierValues, others: readonly LinkifierValues[]): FieldProblem[] {
  if (!others.some((one) => one.pattern === pattern)) return [];
  return [{ field: 'pattern', text: 'There is a linkifier for this pattern already.', reason: 'conflict' }];
}
