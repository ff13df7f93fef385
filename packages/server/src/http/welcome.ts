// `GET /`: the welcome page. With the demo organization it shows how to try the API, including keys.
import type { RequestHandler } from 'express';
import type { App } from '../app.ts';
import type { Realm } from '../core/context.ts';
import { failUnknownOrganization, parseSubdomain, type ServerAddress, toUrl } from '../features/realm/index.ts';
import type { DemoAccount } from '../features/user-admin/index.ts';
import { inTurn } from './admission/index.ts';
import { disableCaching, escapePageText, findRealmAtHost, type HtmlPage, sendPage } from './page.ts';
import { listDemoCommands } from './welcome-commands.ts';
import { WELCOME_STYLE } from './welcome-style.ts';

export interface WelcomeOptions {
  readonly app: App;
  /** Whether /docs is served. */
  readonly docs: boolean;
  /** The demo users, with their API keys. Empty for every organization but the demo. */
  readonly demoUsers: (host: string | undefined) => Promise<readonly DemoAccount[]>;
}

interface Link {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly about: string;
}

const documentation: readonly Link[] = [
  { name: 'quickstart', path: '/docs/quickstart/', text: 'Quickstart', about: 'from the first message to live events' },
  { name: 'reference', path: '/docs/reference/', text: 'API reference', about: 'every operation, with a console' },
];
const always: readonly Link[] = [
  { name: 'openapi', path: '/openapi.json', text: 'OpenAPI document', about: 'for code generators and other tools' },
  { name: 'live', path: '/livez', text: '/livez', about: 'whether the process is alive' },
  { name: 'ready', path: '/readyz', text: '/readyz', about: 'whether the server accepts requests' },
];

/**
 * Responds with a page, or with JSON for a program. The page has API keys, so only the demo's own host name gets them.
 */
export function createWelcomePage({ app, docs, demoUsers }: WelcomeOptions): RequestHandler {
  const links = docs ? [...documentation, ...always] : always;
  return async (req, res) => {
    const realm = await inTurn(app.admission, req, () => findRealmAtHost(app, req));
    // No other site can read the keys: there is no CORS here, and an attacker's host name names no organization.
    disableCaching(res).vary('Accept').setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const isBrowser = req.accepts(['json', 'html']) === 'html';
    if (!realm)
      return isBrowser
        ? sendPage(res, unknownOrganizationPage(app.serverAddress, req.headers.host))
        : failUnknownOrganization(app.serverAddress);
    if (!isBrowser) {
      const addresses = Object.fromEntries(links.map(({ name, path }) => [name, `${realm.url}${path}`]));
      res.json({ name: realm.settings.name, url: realm.url, links: { api: `${realm.url}/api/v1`, ...addresses } });
      return;
    }
    const users = await demoUsers(req.headers.host);
    const body = [...(users.length > 0 ? demo(realm, users) : organization(realm)), linkList(links)].join('\n');
    sendPage(res, { status: 200, title: escapePageText(realm.settings.name), body, style: WELCOME_STYLE });
  };
}

/** For a browser whose address names no organization, such as an IP address. */
function unknownOrganizationPage(serverAddress: ServerAddress, host: string | undefined): HtmlPage {
  const { base_domain } = serverAddress;
  const isBase = parseSubdomain(host, base_domain) === '';
  const where = isBase
    ? `<code>NAME.${base_domain}</code>`
    : `<a href="${toUrl(serverAddress, base_domain)}/">${base_domain}</a>`;
  const body = `<p>There is no organization at this address. Those of this server are at ${where}.</p>`;
  return { status: 404, title: 'No organization here', body, style: WELCOME_STYLE };
}

function organization(realm: Realm): string[] {
  return [
    realm.deactivated
      ? '<p>This organization is deactivated.</p>'
      : '<p>This organization uses Parley, a team messaging server with an HTTP API.</p>',
  ];
}

function demo(realm: Realm, users: readonly DemoAccount[]): string[] {
  return [
    '<p>Parley is a team messaging server with an HTTP API. This is its demo organization: it runs on this machine, and you can act as any of its users.</p>',
    '<h2>Try it</h2>',
    '<p>Paste these lines into a terminal.</p>',
    `<ol>${listDemoCommands(realm.url, users).map(step).join('')}</ol>`,
    '<h2>Users</h2>',
    '<p>A request acts as the user whose email address and API key it sends: <code>curl -u EMAIL:KEY</code>, which is HTTP Basic authentication.</p>',
    table(users),
    '<h2>More</h2>',
  ];
}

const step = ({ title, lines }: { title: string; lines: string }): string =>
  `<li><h3>${escapePageText(title)}</h3><pre><code>${escapePageText(lines)}</code></pre></li>`;

function table(users: readonly DemoAccount[]): string {
  const row = ({ name, role, email, api_key }: DemoAccount) =>
    `<tr><th scope="row">${escapePageText(name)}</th><td>${escapePageText(role)}</td><td>${escapePageText(email)}</td><td><code>${escapePageText(api_key)}</code></td></tr>`;
  const head = ['Name', 'Role', 'Email', 'API key'].map((name) => `<th scope="col">${name}</th>`).join('');
  return `<div role="region" aria-label="Users" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${users.map(row).join('')}</tbody></table></div>`;
}

const linkList = (links: readonly Link[]): string =>
  `<ul>${links.map(({ path, text, about }) => `<li><a href="${path}">${text}</a>: ${about}</li>`).join('')}</ul>`;
