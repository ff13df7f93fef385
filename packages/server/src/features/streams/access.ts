import { canAccessStream, canReadStreamContent, canSeeStream } from '../../access/rules.ts';
import type { Ctx } from '../../core/context.ts';
import { failUnknown } from '../../core/errors.ts';
import { findStreamById, findStreamsByNames, type SeenStream } from './queries/list.ts';
import { streamKey } from './rules/posting.ts';

/**
 * Returns the stream, if the caller can see its name and subscribers. A stream that the caller cannot see is reported
 * as unknown.
 */
export async function requireStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canSeeStream(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** Returns the stream, if the caller has access to it. Administrators are no exception. */
export async function requireAccessibleStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canAccessStream(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** Returns the stream, if the caller can read its content. Guests need a subscription in web-public streams, too. */
export async function requireReadableStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canReadStreamContent(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** Returns the stream of this name, if the caller can see it. */
export async function requireStreamNamed(ctx: Ctx, name: string): Promise<SeenStream> {
  const stream = (await findStreamsByNames(ctx, [name.trim()])).get(streamKey(name.trim()));
  if (stream && canSeeStream(ctx.me, stream, stream.subscribed)) return stream;
  return failUnknown(`Invalid stream name: ${JSON.stringify(name)}`);
}

export function failUnknownStream(stream_id: number): never {
  return failUnknown(`Invalid stream id: ${stream_id}`);
}
