import { createHash, randomBytes } from 'node:crypto';
import type { Ctx, PublicCtx, RealmSettings, User } from '../../../core/context.ts';
import { refuse } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { domainProblem, emailProblem } from '../../accounts/index.ts';
import { writeLetter } from '../../mail/index.ts';
import { isAdministrator } from '../../realm/index.ts';
import { maySeeEmail, visibleUserIds } from '../../users/index.ts';
import { confirmLetter } from '../letters.ts';
import { type AddressHolder, findAddressHolder, upsertEmailChange } from '../queries/email.ts';

const TOKEN_BYTES = 32;

/** Where a letter's link leads, less the token. */
export const CONFIRM_PATH = '/confirm_email/';

/** The token is in the letter alone; what is kept finds it and cannot be turned into it. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The address that a person may ask for now, if it is another one; who may not is refused (behaviour 4.13). */
export async function prepareEmail(ctx: Ctx, given: string | undefined): Promise<string | undefined> {
  const email = given?.trim();
  if (email === undefined || email === ctx.me.delivery_email) return undefined;
  const problem = addressProblem(email, ctx.me, ctx.realm.settings);
  if (problem !== undefined) refuse('BAD_REQUEST', problem);
  const holder = await findAddressHolder(ctx.db, ctx.me, email);
  // A hidden address is treated like a free one: its owner gets the letter, and the link leads nowhere.
  if (holder && (await isShown(ctx, holder))) refuse('BAD_REQUEST', taken(email));
  const wait = (await ctx.server.limits.emailChange(ctx.me))?.wait;
  if (wait !== undefined) {
    const seconds = Math.ceil(wait);
    refuse('RATE_LIMIT_HIT', `You have changed your address too often. Try again in ${seconds} seconds.`, {
      'retry-after': wait,
    });
  }
  return email;
}

async function isShown(ctx: Ctx, holder: AddressHolder): Promise<boolean> {
  if (!maySeeEmail(ctx.me, holder)) return false;
  const visible = await visibleUserIds(ctx);
  return visible === 'all' || visible.has(holder.id);
}

const taken = (email: string) => `email: ${email} is already in use in this organization.`;

/** Why an account may not have an address, if it may not. */
export function addressProblem(email: string, me: User, settings: RealmSettings): string | undefined {
  if (settings.email_changes_disabled && !isAdministrator(me)) {
    return 'email: in this organization only administrators change email addresses.';
  }
  return emailProblem(email) ?? domainProblem(email, settings);
}

export interface NewEmail {
  readonly new_email: string;
  /** Whether the user gave their password as well. */
  readonly is_proven: boolean;
}

/** Keeps the wish and writes the letter whose link makes it true. A wish before this one is void. */
export async function askForEmail(ctx: PublicCtx, me: User, { new_email, is_proven }: NewEmail): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expires_at = new Date(ctx.now.getTime() + bounds.email_link);
  await upsertEmailChange(ctx.db, {
    realm_id: me.realm_id,
    user_id: me.id,
    new_email,
    token_hash: hashOf(token),
    expires_at,
    is_proven,
  });
  const link = `${ctx.realm.url}${CONFIRM_PATH}${token}`;
  await writeLetter(ctx, { to: new_email, ...confirmLetter(ctx.realm, me, new_email, link) });
}
