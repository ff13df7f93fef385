import { createHash, randomBytes } from 'node:crypto';
import { isAdministrator } from '../../../access/roles.ts';
import type { Ctx, PublicCtx, RealmSettings, User } from '../../../core/context.ts';
import { fail, failConflict, failOnProblem, type RequestProblem } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import type { EmailChangeLimiting } from '../../../core/rate-limits.ts';
import type { Sealing } from '../../../core/sealing.ts';
import { queueEmail } from '../../mail/index.ts';
import { domainProblem, emailProblem } from '../../user-admin/index.ts';
import { renderConfirmationEmail } from '../emails.ts';
import { isAddressTaken, upsertEmailChange } from '../queries/email.ts';

const TOKEN_BYTES = 32;

/** The address of an email's link, without the token. */
export const CONFIRM_PATH = '/confirm_email/';

/** The token is in the email alone; the stored hash finds it and cannot be reversed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Returns the new email address of a request, if it differs from the present one. Fails if the user cannot change it
 * (docs/behaviour/settings.md#email).
 */
export async function prepareEmail(
  ctx: Ctx<EmailChangeLimiting>,
  value: string | undefined,
): Promise<string | undefined> {
  const email = value?.trim();
  if (email === undefined || email === ctx.me.delivery_email) return undefined;
  const problem = addressProblem(email, ctx.me, ctx.realm.settings);
  failOnProblem(problem);
  if (await isAddressTaken(ctx.db, ctx.me, email)) failConflict(taken(email));
  const wait = (await ctx.server.limits.emailChange(ctx.me))?.wait;
  if (wait !== undefined) {
    const seconds = Math.ceil(wait);
    fail('RATE_LIMIT_HIT', `You have changed your address too often. Try again in ${seconds} seconds.`, {
      'retry-after': wait,
    });
  }
  return email;
}

const taken = (email: string) => `email: ${email} is already in use in this organization.`;

/** The reason why an account cannot have an address, if there is one. */
export function addressProblem(email: string, me: User, settings: RealmSettings): RequestProblem | undefined {
  if (settings.email_changes_disabled && !isAdministrator(me)) {
    return { reason: 'forbidden', text: 'email: in this organization only administrators change email addresses.' };
  }
  const text = emailProblem(email) ?? domainProblem(email, settings);
  return text === undefined ? undefined : { reason: 'invalid', text };
}

/** Keeps the wish and writes the letter whose link makes it true. A wish before this one is void. */
export async function requestEmailChange(ctx: PublicCtx<Sealing>, me: User, new_email: string): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expires_at = new Date(ctx.now.getTime() + bounds.email_link);
  await upsertEmailChange(ctx.db, {
    realm_id: me.realm_id,
    user_id: me.id,
    new_email,
    token_hash: hashToken(token),
    expires_at,
  });
  const link = `${ctx.realm.url}${CONFIRM_PATH}${token}`;
  await queueEmail(ctx, { to: new_email, ...renderConfirmationEmail(ctx.realm, me, new_email, link) });
}
