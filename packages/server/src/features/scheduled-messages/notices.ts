import { quoteText } from '../../text/quotes.ts';

/** The Notification Bot's message to the author of a message that could not be sent. */
export function renderFailureNotice({ deliver_at }: { readonly deliver_at: Date }, reason: string): string {
  const time = `${deliver_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `The message that you scheduled for ${time} could not be sent:\n\n${quoteText(reason)}\n\nGive it a new time to try again.`;
}
