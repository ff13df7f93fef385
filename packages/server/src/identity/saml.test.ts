import { beforeAll, describe, expect, test } from 'vitest';
import { assertionOf, ISSUER, makeSamlProvider, responseOf, type SamlProvider } from '../../test/saml.ts';
import type { IdentityProvider } from '../core/identity.ts';
import { bounds } from '../core/limits.ts';
import { createSaml } from './saml.ts';

const back = { callback: 'https://chat.example/callback', metadata: 'https://chat.example/metadata' };
const request = { request: '_r', callback: back.callback, audience: back.metadata, relay_state: '' };

let partner: SamlProvider;
let provider: IdentityProvider;
beforeAll(async () => {
  partner = await makeSamlProvider();
  provider = createSaml({
    id: 'corp',
    name: 'Corp',
    icon: null,
    issuer: ISSUER,
    login_url: 'https://idp.example.com/login',
    certificate: [partner.certificate],
    email: undefined,
    full_name: undefined,
    organizations: undefined,
  });
});

/** The verified email, or the message of the error. */
function outcome(xml: string) {
  const callback = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') });
  return provider.verify(back, '', { request: request.request }, callback).then(
    ({ email }) => email,
    (error: Error) => error.message,
  );
}

const answer = (attributes: Record<string, string>) =>
  partner.sign(responseOf(request, assertionOf(request, 'ada@corp.example', { attributes })), 'Assertion');

test('a response about a user in two hundred groups is read', async () => {
  const groups = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`group${n}`, `cn=group ${n},dc=corp`]));
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${answer(groups)}`;
  expect(await outcome(xml)).toBe('ada@corp.example');
  expect(xml.length).toBeLessThan(bounds.proof / 2);
});

describe('a response that XML libraries would need quadratic time for fails before they parse it:', () => {
  const most = bounds.proof_marks;
  const marks = `the response has more than ${most} tags and namespaces`;
  const declaration = 'the response has a document type or another declaration';
  test.each([
    ['signs that begin a tag', '<'.repeat(most + 1), marks],
    ['elements', `<Response>${'<a/>'.repeat(most)}</Response>`, marks],
    ['elements inside one another', `${'<a>'.repeat(most / 2 + 1)}${'</a>'.repeat(most / 2 + 1)}`, marks],
    ['namespaces', `<Response${' xmlns:a="a"'.repeat(most)}/>`, marks],
    ['an unknown declaration', `<Response><!${'x'.repeat(1000)}`, declaration],
    ['CDATA without an end', '<Response><![CDATA[<![CDATA[', declaration],
    ['comments without an end', '<Response><!-- --><!--<!--', 'the response has a comment without an end'],
    ['instructions', '<?xml version="1.0"?><Response><?a', 'the response has a processing instruction'],
  ])('%s', async (_, xml, why) => {
    expect(await outcome(xml)).toBe(why);
  });
});
