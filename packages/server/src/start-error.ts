/** What an operator has to mend. The message is a sentence for them. */
export class StartError extends Error {
  override name = 'StartError';
}
