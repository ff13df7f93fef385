// A client that follows a queue as a stream of server-sent events, without the SDK.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Schema } from '@parley/client';
import type { TestUser } from './chat.ts';
import { loginOf } from './files.ts';

type Delivered = Schema<'Delivered'>;

export interface StreamTarget {
  readonly host: string;
  readonly port: number;
  readonly login: Pick<TestUser, 'email' | 'apiKey'>;
  readonly queue_id: string;
  readonly last_event_id: number;
  readonly headers?: Record<string, string>;
}

export interface OpenStream {
  readonly response: IncomingMessage;
  /** Everything received so far. */
  readonly text: () => string;
  /** Events received so far. The id in each `id:` line is that of the event. */
  readonly events: Delivered[];
  readonly comments: string[];
  /** Resolves when the server has ended the response or the connection. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Requests a stream; resolves when the head of the response has arrived. */
export async function openStream({
  host,
  port,
  login,
  queue_id,
  last_event_id,
  headers,
}: StreamTarget): Promise<OpenStream> {
  const sent: ClientRequest = request({
    host: '127.0.0.1',
    port,
    path: `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`,
    headers: { Host: host, Accept: 'text/event-stream', ...loginOf(login), ...headers },
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => {});
  response.setEncoding('utf8');
  let text = '';
  const events: Delivered[] = [];
  const comments: string[] = [];
  let rest = '';
  response.on('data', (part: string) => {
    text += part;
    const frames = (rest + part).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) readFrame(frame, events, comments);
  });
  const ended = new Promise<void>((resolve) => void response.on('close', resolve).on('error', () => {}));
  return { response, text: () => text, events, comments, ended, close: () => sent.destroy() };
}

function readFrame(frame: string, events: Delivered[], comments: string[]): void {
  if (frame.startsWith(':')) {
    comments.push(frame.slice(1).trim());
    return;
  }
  const [, id, data = ''] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
  const event = JSON.parse(data) as Delivered;
  if (String(event.id) !== id) throw new Error(`The id of the frame is not that of the event: ${frame}`);
  events.push(event);
}
