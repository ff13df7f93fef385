import type { PublicCtx } from '../../core/context.ts';
import type { Linkifier } from '../../text/markdown.ts';
import { compileLinkifier } from './compile.ts';
import { listLinkifiers } from './queries.ts';

/** The compiled linkifiers of the organization, in order: one statement if there are any. */
export async function listCompiledLinkifiers({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>): Promise<Linkifier[]> {
  if (!realm.has_linkifiers) return [];
  return (await listLinkifiers(db, realm.id)).flatMap((linkifier) => compileLinkifier(linkifier) ?? []);
}
