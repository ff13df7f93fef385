import { expect, test } from 'vitest';
import { nameTakenProblem, trimValues, valueProblems } from './rules.ts';

const good = { name: 'Elsinore', pygments_language: 'Python', url_template: 'https://e.example/{code}' };

test.each([
  [{}],
  [{ pygments_language: 'A language that nobody ever heard of 123' }],
  [{ pygments_language: 'C++' }],
  [{ pygments_language: 'C#/.NET_4-5' }],
  [{ pygments_language: 'x'.repeat(40) }],
  [{ name: 'é'.repeat(100) }],
  [{ url_template: 'https://e.example/{?code}' }],
  [{ url_template: 'https://e.example/{code}#{+code:3}' }],
  [{ url_template: '{code}' }],
])('a playground is valid: %j', (change) => expect(valueProblems({ ...good, ...change })).toEqual([]));

// shows: 2.63, 4.17.1
test.each<[object, [string, RegExp][]]>([
  [{ name: '' }, [['name', /blank/]]],
  [{ pygments_language: '' }, [['pygments_language', /blank/]]],
  [{ url_template: '' }, [['url_template', /blank/]]],
  [
    { pygments_language: 'C!', name: '' },
    [
      ['name', /blank/],
      ['pygments_language', /letters/],
    ],
  ],
  [{ name: 'x'.repeat(101) }, [['name', /at most 100/]]],
  [{ pygments_language: 'x'.repeat(41) }, [['pygments_language', /at most 40/]]],
  [{ pygments_language: 'a,b' }, [['pygments_language', /letters/]]],
  [{ pygments_language: 'Süß' }, [['pygments_language', /letters/]]],
  [{ pygments_language: 'a\tb' }, [['pygments_language', /letters/]]],
  [{ url_template: 'https://e.example/{code' }, [['url_template', /6570/]]],
  [{ url_template: 'https://e.example/a b{code}' }, [['url_template', /6570/]]],
  [{ url_template: `${'x'.repeat(1000)}{code}` }, [['url_template', /at most 1000/]]],
  [{ url_template: 'https://e.example' }, [['url_template', /needs.*"code"/]]],
  [{ url_template: 'https://e.example/{text}' }, [['url_template', /"text"/]]],
  [{ url_template: 'https://e.example/{code,text}' }, [['url_template', /"text"/]]],
  [{ url_template: 'https://e.example/{Code}' }, [['url_template', /"Code"/]]],
])('a playground is invalid: %j', (change, problems) =>
  expect(valueProblems({ ...good, ...change })).toEqual(
    problems.map(([field, text]) => ({ field, text: expect.stringMatching(text) })),
  ),
);

test('spaces around values are ignored', () =>
  expect(trimValues({ name: ' a ', pygments_language: '\tC ', url_template: ' {code}\n' })).toEqual({
    name: 'a',
    pygments_language: 'C',
    url_template: '{code}',
  }));

test('the name of a playground is unique for its language', () => {
  expect(nameTakenProblem(good, [good])).toMatchObject([
    { field: '__all__', text: expect.stringMatching(/Elsinore.*Python/) },
  ]);
  expect(nameTakenProblem({ ...good, pygments_language: 'Rust' }, [good])).toEqual([]);
  expect(nameTakenProblem({ ...good, name: 'elsinore' }, [good])).toEqual([]);
});
