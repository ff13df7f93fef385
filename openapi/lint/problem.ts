import type { Document, OperationEntry } from '../src/document/index.ts';

/** What is wrong with a document, and where: keys from the root. */
export interface DocumentProblem {
  message: string;
  path: string[];
}

/** Finds what breaks a rule. The options are those of the rule in `redocly.yaml`. */
export type DocumentRule<Options = object> = (doc: Document, options: Options) => DocumentProblem[];

/** The path of a part of an operation. */
export const pathOf = ({ path, method }: OperationEntry, ...keys: string[]): string[] => [
  'paths',
  path,
  method,
  ...keys,
];
