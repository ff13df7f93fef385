import { expect, test } from 'vitest';
import { collectFacts, render } from './markdown.ts';

const linkifier = {
  weight: 1,
  find: (text: string) =>
    [...text.matchAll(/#\d/g)].map(({ index }) => ({
      start: index,
      end: index + 2,
      url: `https://t.example/${text.slice(index + 1, index + 2)}.png`,
    })),
};
const html = (content: string) => render(content, collectFacts({ linkifiers: [linkifier] })).html;
const preview = (url: string) => `<div class="message_inline_image"><a href="${url}"><img src="${url}"></a></div>`;
const link = (url: string, text = url) => `<a href="${url}">${text}</a>`;
const soup = 'https://a.example/soup.png';

test.each([
  [soup, `<p>${link(soup)}</p>\n${preview(soup)}`],
  [`[Soup](${soup})`, `<p>${link(soup, 'Soup')}</p>\n${preview(soup)}`],
  [`![Soup](${soup})`, `<p>${link(soup, 'Soup')}</p>\n${preview(soup)}`],
  [
    '[Soup](/user_uploads/2/k/soup.JPG)',
    `<p>${link('/user_uploads/2/k/soup.JPG', 'Soup')}</p>\n${preview('/user_uploads/2/k/soup.JPG')}`,
  ],
  ['#1', `<p>${link('https://t.example/1.png', '#1')}</p>\n${preview('https://t.example/1.png')}`],
  [`${soup}?a=1&b=2`, `<p>${link(`${soup}?a=1&amp;b=2`)}</p>\n${preview(`${soup}?a=1&amp;b=2`)}`],
  [`${soup} ${soup}\n\nafter`, `<p>${link(soup)} ${link(soup)}</p>\n${preview(soup)}\n<p>after</p>`],
  [`- ${soup}\n- b`, `<ul>\n<li>${link(soup)}${preview(soup)}\n</li>\n<li>b</li>\n</ul>`],
  [`# ${soup}`, `<h1>${link(soup)}</h1>\n${preview(soup)}`],
])('%j is followed by its picture', (content, expected) => expect(html(content)).toBe(expected));

test('a cell of a table contains its pictures', () =>
  expect(html(`a|b\n-|-\n${soup}|c`)).toContain(`<td>${link(soup)}${preview(soup)}\n</td>\n<td>c</td>`));

test.each([
  'https://a.example/soup',
  'https://a.example/soup.svg',
  'https://a.example/?soup.png',
  'mailto:soup@a.example.png',
  '[a](javascript:soup.png)',
  '[a](//a.example/soup.png)',
  '[a](/settings/soup.png)',
  `\`${soup}\``,
  `\`\`\`\n${soup}\n\`\`\``,
  `> ${soup}`,
  `\`\`\`quote\n${soup}\n\`\`\``,
])('%j is not followed by a picture', (content) => expect(html(content)).not.toContain('<img'));

test('a spoiler contains its pictures', () =>
  expect(html(`\`\`\`spoiler a\n${soup}\n\`\`\``)).toContain(`<p>${link(soup)}</p>\n${preview(soup)}\n</div></div>`));

test('a text shows at most ten pictures', () => {
  const many = Array.from({ length: 30 }, (_, n) => `https://a.example/${n}.png`).join(' ');
  expect(html(many).match(/<img/g)).toHaveLength(10);
  expect(html(many).match(/<p><a|\n?<a /g)?.length).toBeGreaterThan(10);
});

test('a picture does not change whether a text is a /me message', () =>
  expect(render(`/me eats ${soup}`, collectFacts()).is_me_message).toBe(true));
