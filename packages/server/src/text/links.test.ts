import { expect, test } from 'vitest';
import { isImageLink, isSafeLink, isUpload, isWebLink, narrowLink } from './links.ts';

test.each([
  'http://example.com',
  'https://example.com/a?b=c#d',
  'HTTPS://EXAMPLE.COM',
  'mailto:ada@example.com',
  '/user_uploads/1/ab/notes.txt',
])('a text can link to %s', (url) => expect(isSafeLink(url)).toBe(true));

test.each([
  '',
  '/',
  '#top',
  'example.com',
  '//example.com',
  '/settings',
  'user_uploads/1/a',
  '/user_uploads/',
  '/user_uploads/../settings',
  '/user_uploads/%2e%2E/settings',
  '/user_uploads/a/../../settings',
  '/user_uploads/..\\settings',
  '/user_uploads/a b',
  'http:',
  'http://',
  'https:example.com',
  'http:\\\\example.com',
  'http://exa mple.com',
  'http://example.com:99999',
  'mailto:',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'data:image/png;base64,x',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://example.com',
  'blob:http://example.com/x',
])('a text cannot link to %j', (url) => expect(isSafeLink(url)).toBe(false));

test('an upload is no web link, nor the other way round', () => {
  expect(isWebLink('/user_uploads/1/a')).toBe(false);
  expect(isUpload('https://example.com/user_uploads/1/a')).toBe(false);
});

test.each([
  ['https://example.com/a.PNG?size=2', true],
  ['/user_uploads/1/a.jpeg', true],
  ['https://example.com/?a.png', false],
  ['https://example.com/a.txt', false],
  ['mailto:ada@example.png', false],
  ['http://', false],
])('the extension of the path decides what is an image: %s', (url, isImage) => expect(isImageLink(url)).toBe(isImage));

test.each([
  ['design', undefined, '/#narrow/stream/5-design'],
  ['design', 'lunch', '/#narrow/stream/5-design/topic/lunch'],
  ['Big ideas', 'v1.2 (beta)', '/#narrow/stream/5-Big-ideas/topic/v1.2E2.20.28beta.29'],
  ['a/b', 'c/d#e?f', '/#narrow/stream/5-a.2Fb/topic/c.2Fd.23e.3Ff'],
  ['"><script>', "100%'", '/#narrow/stream/5-.22.3E.3Cscript.3E/topic/100.25.27'],
  ['日', '✔ x', '/#narrow/stream/5-.E6.97.A5/topic/.E2.9C.94.20x'],
  ['\ud800', undefined, '/#narrow/stream/5-.EF.BF.BD'],
])('the URL of a stream or topic has no character with a meaning in Markdown: %j, %j', (name, topic, href) =>
  expect(narrowLink({ id: 5, name }, topic)).toBe(href),
);
