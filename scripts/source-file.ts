export interface SourceFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}
