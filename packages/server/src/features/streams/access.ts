import { canAccessStream, canReadStreamContent, canSeeStream } from '../../access/rules.ts';
import type { Ctx } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
import { findStreamById, findStreamsByNames, type SeenStream } from './queries/list.ts';
import { streamKey } from './rules/posting.ts';

/** The stream, if its name and members are open to who asks. One that is not answers like one that does not exist. */
export async function requireStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canSeeStream(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** The stream, if the caller can take part in it: administrators have no exception. */
export async function requireAccessibleStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canAccessStream(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** The stream, if the caller can read its messages: guests need a subscription in web-public streams, too. */
export async function requireReadableStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  return stream && canReadStreamContent(ctx.me, stream, stream.subscribed) ? stream : failUnknownStream(stream_id);
}

/** The stream of this name, if it is open to who asks. */
export async function requireStreamNamed(ctx: Ctx, name: string): Promise<SeenStream> {
  const stream = (await findStreamsByNames(ctx, [name.trim()])).get(streamKey(name.trim()));
  if (stream && canSeeStream(ctx.me, stream, stream.subscribed)) return stream;
  return fail('BAD_REQUEST', `Invalid stream name: ${JSON.stringify(name)}`);
}

export function failUnknownStream(stream_id: number): never {
  return fail('BAD_REQUEST', `Invalid stream id: ${stream_id}`);
}
