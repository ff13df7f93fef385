import type { FieldProblem } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import { codePoints } from '../../text/names.ts';
import { parseUrlTemplate } from '../../text/url-template.ts';

/** The fields of a playground. */
export interface PlaygroundValues {
  readonly name: string;
  readonly pygments_language: string;
  readonly url_template: string;
}

const fields = ['name', 'pygments_language', 'url_template'] as const;

export function trimValues({ name, pygments_language, url_template }: PlaygroundValues): PlaygroundValues {
  return { name: name.trim(), pygments_language: pygments_language.trim(), url_template: url_template.trim() };
}

/** The problems of a playground by itself, in the order of docs/behaviour/playgrounds.md#validation-of-playgrounds. */
export function valueProblems(values: PlaygroundValues): FieldProblem[] {
  const isBlank = (field: (typeof fields)[number]) => values[field] === '';
  const problems = { name: nameProblem, pygments_language: languageProblem, url_template: templateProblem };
  const filled = fields.filter((field) => !isBlank(field));
  return [
    ...fields.filter(isBlank).map((field) => ({ field, text: 'It must not be blank.' })),
    ...filled.flatMap((field) => {
      const text = problems[field](values[field]);
      return text === undefined ? [] : [{ field, text }];
    }),
  ];
}

function nameProblem(name: string): string | undefined {
  return codePoints(name) > bounds.playground_name
    ? `It can have at most ${bounds.playground_name} characters.`
    : undefined;
}

function languageProblem(language: string): string | undefined {
  const most = bounds.pygments_language;
  if (codePoints(language) > most) return `It can have at most ${most} characters.`;
  if (/^[A-Za-z0-9 _+\-./#]*$/.test(language)) return undefined;
  return 'It can have letters without accents, digits, spaces and _ + - . / # only.';
}

function templateProblem(source: string): string | undefined {
  if (codePoints(source) > bounds.url_template) return `It can have at most ${bounds.url_template} characters.`;
  const template = parseUrlTemplate(source);
  if (!template) return 'It is not a URI template (RFC 6570).';
  const other = template.variables.find((name) => name !== 'code');
  if (other !== undefined) return `It can have no variable but "code", and has "${other}".`;
  return template.variables.length === 0 ? 'It needs the variable "code".' : undefined;
}

export function nameTakenProblem(
  { name, pygments_language }: PlaygroundValues,
  others: readonly PlaygroundValues[],
): FieldProblem[] {
  if (!others.some((one) => one.name === name && one.pygments_language === pygments_language)) return [];
  const text = `There is a playground "${name}" for "${pygments_language}" already.`;
  return [{ field: '__all__', text, reason: 'conflict' }];
}
