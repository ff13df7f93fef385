import { expect, test } from 'vitest';
import { addQuery, describeRedirect, hasRedirectUri, redirectUriProblem, toPolicySource } from './rules.ts';

test.each([
  'https://app.example.com/callback',
  'https://app.example.com:8443/callback?from=parley&x=a%20b',
  'https://app.example.com',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:8000/callback',
  'http://[::1]:8000/callback',
  'http://localhost/callback',
  'com.example.app:/callback',
  'com.example.app://callback',
])('%s is a valid redirect URI', (uri) => {
  expect(redirectUriProblem(uri)).toBeUndefined();
});

test.each([
  ['/callback', /not an absolute URI/],
  ['https://', /not an absolute URI/],
  ['https://app.example.com/call back', /not an absolute URI/],
  ['https://äpp.example.com/', /not an absolute URI/],
  ['https://app.example.com/#', /fragment/],
  ['https://app.example.com/#part', /fragment/],
  ['https://user@app.example.com/', /user name/],
  ['https://user:secret@app.example.com/', /user name/],
  ['http://app.example.com/', /must begin with/],
  ['http://localhost.example.com/', /must begin with/],
  ['http://127.0.0.1.example.com/', /must begin with/],
  ['http://127.0.0.1@evil.example.com/', /user name/],
  ['http://127.0.0.2/', /must begin with/],
  ['javascript:alert(1)', /must begin with/],
  ['data:text/html,soup', /must begin with/],
  ['file:///etc/passwd', /must begin with/],
  ['myapp://callback', /must begin with/],
  ['https://APP.example.com/', /must be written as "https:\/\/app\.example\.com\/"/],
  ['https://app.example.com/a/../b', /must be written as/],
  ['https:\\\\app.example.com', /must be written as/],
  ['https://app.example.com:443/', /must be written as/],
])('%s is not a valid redirect URI', (uri, problem) => {
  expect(redirectUriProblem(uri)).toMatch(problem);
});

test.each([
  ['https://app.example.com/callback', 'https://app.example.com/callback', true],
  ['https://app.example.com/callback', 'https://app.example.com/callback/', false],
  ['https://app.example.com/callback', 'https://app.example.com/callback?x=1', false],
  ['https://app.example.com/callback', 'https://app.example.com:444/callback', false],
  ['https://app.example.com/callback', 'https://APP.example.com/callback', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:51234/callback', true],
  ['http://127.0.0.1:8000/callback', 'http://127.0.0.1:51234/callback', true],
  ['http://[::1]/callback', 'http://[::1]:51234/callback', true],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:51234/other', false],
  ['http://127.0.0.1/callback', 'http://localhost:51234/callback', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1:80@evil.example.com/callback', false],
  ['http://127.0.0.1/callback', 'http://127.0.0.1.evil.example.com/callback', false],
  ['com.example.app:/callback', 'com.example.app:/callback', true],
  ['com.example.app:/callback', 'com.example.app:/callback2', false],
])('an application with %s can have the redirect URI %s: %s', (registered, uri, expected) => {
  expect(hasRedirectUri([registered], uri)).toBe(expected);
});

test.each([
  ['https://app.example.com:8443/callback', 'app.example.com:8443', 'https://app.example.com:8443'],
  ['http://127.0.0.1:8000/', 'a program on this device', 'http://127.0.0.1:8000'],
  ['http://[::1]:8000/', 'a program on this device', 'http:'],
  ['com.example.app:/callback', 'the application of com.example.app on this device', 'com.example.app:'],
])('%s is shown as %s, and form-action allows %s', (uri, shown, source) => {
  expect(describeRedirect(uri)).toBe(shown);
  expect(toPolicySource(uri)).toBe(source);
});

test.each([
  ['https://app.example.com/', 'https://app.example.com/?code=a%26b&state=x+y'],
  ['https://app.example.com/?from=a%20b', 'https://app.example.com/?from=a%20b&code=a%26b&state=x+y'],
  ['com.example.app:/callback', 'com.example.app:/callback?code=a%26b&state=x+y'],
])('parameters are added to the query of %s', (uri, expected) => {
  expect(addQuery(uri, { code: 'a&b', state: 'x y', iss: undefined })).toBe(expected);
});
