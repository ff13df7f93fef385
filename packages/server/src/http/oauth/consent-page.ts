import type { PublicCtx } from '../../core/context.ts';
import type { ExternalAuthentication } from '../../core/identity.ts';
import {
  describeRedirect,
  OAUTH_PATHS,
  type RequestedAuthorization,
  toPolicySource,
} from '../../features/applications/index.ts';
import { getDirectoryFor, hasPasswords, listProvidersFor } from '../../features/auth/index.ts';
import { escapePageText, type HtmlPage } from '../page.ts';

export interface ConsentFacts {
  readonly status: number;
  /** The error of the submitted form, if there is one. */
  readonly message?: string | undefined;
  /** The submitted user name. */
  readonly username?: string | undefined;
  /** The user of a single sign-on, and the grant that proves it. */
  readonly email?: string | undefined;
  readonly grant?: string | undefined;
}

const scopeTexts: Readonly<Record<RequestedAuthorization['scopes'][number], string>> = {
  read: 'Read what you can read: messages, files, users and settings.',
  write: 'Change what you can change: send, edit and delete messages, join streams, upload files.',
  admin: 'Do what only administrators of the organization can do, if you are one.',
};

/** `query` is that of the page: the form is submitted with the same. */
export function renderConsent(
  ctx: PublicCtx<ExternalAuthentication>,
  { application, redirect_uri, scopes }: RequestedAuthorization,
  query: string,
  facts: ConsentFacts,
): HtmlPage {
  const { status, message } = facts;
  const name = escapePageText(application.name);
  const body = [
    message === undefined ? '' : `<p role="alert"><strong>${escapePageText(message)}</strong></p>`,
    `<p><strong>${name}</strong> asks to act for you at ${escapePageText(ctx.realm.settings.name)}. It could:</p>`,
    `<ul>${scopes.map((scope) => `<li>${scopeTexts[scope]}</li>`).join('')}</ul>`,
    `<p>You go on at <strong>${escapePageText(describeRedirect(redirect_uri))}</strong>. You can end this at any time by revoking its token.</p>`,
    `<form method="post" action="${escapePageText(`${OAUTH_PATHS.authorize}?${query}`)}">`,
    ...renderLogin(ctx, facts),
    '<button name="decision" value="deny" formnovalidate>Deny</button></form>',
    ...renderProviders(ctx, query, facts),
  ];
  return {
    status,
    title: `Allow ${name}?`,
    body: body.join(''),
    style: STYLE,
    formTargets: [toPolicySource(redirect_uri)],
  };
}

const STYLE =
  'input{display:block;font:inherit;width:100%;box-sizing:border-box;margin:.25rem 0 1rem;padding:.4rem}button{margin-right:.5rem;padding:.4rem 1rem}';

function renderLogin(
  { realm, server }: PublicCtx<ExternalAuthentication>,
  { username = '', email, grant }: ConsentFacts,
): string[] {
  if (grant !== undefined)
    return [
      email === undefined ? '' : `<p>You are logged in as ${escapePageText(email)}.</p>`,
      `<input type="hidden" name="grant" value="${escapePageText(grant)}">`,
      '<button name="decision" value="allow">Allow</button>',
    ];
  if (!hasPasswords(realm.settings.authentication_methods) && !getDirectoryFor(server.identity, realm))
    return ['<p>To allow it, log in:</p>'];
  return [
    '<label for="username">Email</label>',
    `<input id="username" name="username" autocomplete="username" required value="${escapePageText(username)}">`,
    '<label for="password">Password</label>',
    '<input id="password" name="password" type="password" autocomplete="current-password" required>',
    '<button name="decision" value="allow">Log in and allow</button>',
  ];
}

/** Ways to log in elsewhere, which lead back to this question. */
function renderProviders(
  { realm, server }: PublicCtx<ExternalAuthentication>,
  query: string,
  { grant }: ConsentFacts,
): string[] {
  if (grant !== undefined) return [];
  return listProvidersFor(server.identity, realm).map(({ kind, id, name }) => {
    const address = `/accounts/login/${kind}/${id}?${new URLSearchParams({ authorization: query })}`;
    return `<p><a href="${escapePageText(address)}">Log in with ${escapePageText(name)}</a></p>`;
  });
}
