import type { EventStream } from '@parley/client';

/**
 * Listens until a message with the content `end`; returns the contents until then, and how often the queue was lost.
 */
export async function collectEvents(stream: EventStream<'message'>): Promise<{ heard: string[]; resyncs: number }> {
  const heard: string[] = [];
  let resyncs = 0;
  for await (const event of stream) {
    if (event.type === 'resync') resyncs++;
    else if (event.message.content === 'end') break;
    else heard.push(event.message.content);
  }
  return { heard, resyncs };
}
