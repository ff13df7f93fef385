/** An error that the operator has to fix. The message is a sentence for the operator. */
export class StartError extends Error {
  override name = 'StartError';
}
