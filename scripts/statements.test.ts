// Every statement of the specification has a test, and each tag names a statement and a test.
import { describe, expect, test } from 'vitest';
import { readFiles } from './read-files.ts';
import { findTags } from './statement-tags.ts';
import { findStatementProblems, readStatements } from './statements.ts';

const [document] = readFiles('docs/statements.md');
const text = document?.text ?? '';
// The tags in the examples below do not count.
const tests = readFiles('*.ts').filter(({ path }) => !path.startsWith('scripts/statement'));

describe('the statements of the specification', () => {
  test('are those of all its sections, 1 to 9', () => {
    const sections = readStatements(text, []);
    const operations = Array.from({ length: 21 }, (_, n) => `4.${n + 1}`);
    expect(sections.map(({ section }) => section)).toEqual(['1', '2', '3', ...operations, '5', '6', '7', '8', '9']);
    for (const { section, statements } of sections) expect(statements, section).not.toHaveLength(0);
  });

  test('are each shown by tests, and each tag is at a test and names a statement', () => {
    expect(findStatementProblems(text, tests)).toEqual([]);
  });

  test('are shown by tests that the page of the documentation reads', () => {
    const elsewhere = tests.filter(({ path }) => !/^(packages|apps\/docs\/test)\/.*\.test\.ts$/.test(path));
    expect(elsewhere.filter((file) => findTags(file.text).tags.length > 0).map(({ path }) => path)).toEqual([]);
  });
});

const list =
  '# Soup\n\n## 1 Hot\n\n- **1.1** It is hot.\n- **1.2** It is red.\n\n## 4.1 Cold\n\n- **4.1.1** It is cold.\n';
const soup = `
  describe('soup', () => {
    // shows: 1.1, 4.1.1
    test('is hot', () => {});
    // It is eaten.
    // shows: 1.2 [red] [2]
    test.each([['red', 2]])('is %s for %i', () => {});
  });`;
const problemsOf = (source: string, document = list) =>
  findStatementProblems(document, [{ path: 'soup.test.ts', text: source }]);

test('a statement lists the tests that are tagged with it, with the values of a case', () => {
  const [hot, cold] = readStatements(list, [{ path: 'soup.test.ts', text: soup }]);
  expect(hot).toEqual({
    section: '1',
    title: 'Hot',
    statements: [
      { id: '1.1', says: 'It is hot.', shown_by: [['soup.test.ts', 'soup > is hot']] },
      { id: '1.2', says: 'It is red.', shown_by: [['soup.test.ts', 'soup > is red for 2']] },
    ],
  });
  expect(cold?.statements.map(({ shown_by }) => shown_by.length)).toEqual([1]);
  expect(problemsOf(soup)).toEqual([]);
});

describe('a problem is', () => {
  test('a statement without a test', () => {
    expect(problemsOf(soup.replace('1.1, 4.1.1', '4.1.1'))).toEqual(['No test shows the statement 1.1.']);
  });

  test('a tag with an unknown statement', () => {
    expect(problemsOf(soup.replace('1.1, ', '1.1, 1.3, '))).toEqual([
      'soup.test.ts: "soup > is hot" shows 1.3, which is no statement.',
    ]);
  });

  test.each([
    ['that ends the file', `${soup}\n// shows: 1.1`],
    ['above something else', `// shows: 1.1\nconst bowl = 1;\n${soup}`],
    ['above a group of tests', `// shows: 1.1\n${soup.trim()}`],
    ['above a test that is skipped', `// shows: 1.1\ntest.skip('is warm', () => {});\n${soup}`],
    ['inside a test', `test('is warm', () => {\n  // shows: 1.1\n});\n${soup}`],
  ])('a tag %s', (_where, source) => {
    expect(problemsOf(source)).toEqual(['soup.test.ts: "// shows: 1.1" is above no test that runs.']);
  });

  test.each(['// shows 1.1', '// shows: 1.1 and 4.1.1', '// shows: hot', '//shows: 1.1', '// shows: 1.1 [red'])(
    'a tag of another form: %s',
    (tag) => {
      const source = `${soup}\n${tag}\ntest('is warm', () => {});`;
      expect(problemsOf(source)).toEqual([
        `soup.test.ts: "${tag}" does not have the form "// shows: 4.1.3, 4.13.2 [value]".`,
      ]);
    },
  );

  test.each([
    ['with too few values', '[red]', 'a case has 2 values, one for each placeholder.'],
    ['with too many values', '[red] [2] [3]', 'a case has 2 values, one for each placeholder.'],
    ['with a value that the file does not have', '[blue] [2]', 'the file has no value "blue".'],
  ])('a case %s', (_what, values, problem) => {
    expect(problemsOf(soup.replace('[red] [2]', values))).toContain(
      `soup.test.ts: 1.2 at "soup > is %s for %i": ${problem}`,
    );
  });

  test('a title of placeholders without a case', () => {
    const source = `${soup}\n// shows: 1.1\ntest.each(['hot'])('%s', () => {});`;
    expect(problemsOf(source)).toEqual(['soup.test.ts: 1.1 at "%s": the title alone says nothing; name a case.']);
    expect(problemsOf(source.replace('// shows: 1.1\n', '// shows: 1.1 [hot]\n'))).toEqual([]);
  });

  test('a statement that a test shows twice', () => {
    expect(problemsOf(soup.replace('1.1, ', '1.1, 1.1, '))).toEqual([
      'soup.test.ts: 1.1 at "soup > is hot" is there twice.',
    ]);
  });

  test.each([
    ['a number twice', list.replace('**1.2**', '**1.1**'), '1.1 is not the next number of section 1.'],
    ['a number of another section', list.replace('**1.2**', '**2.2**'), '2.2 is not the next number of section 1.'],
    ['a statement twice', list.replace('It is red.', 'It is hot.'), '"It is hot." is in section 1 twice.'],
    [
      'a line without a number',
      list.replace('**1.2** ', ''),
      'A line of the list does not have the form "- **4.1.3** It is so.".',
    ],
  ])('%s in the list', (_what, document, problem) => {
    expect(problemsOf(soup, document)).toContain(problem);
  });

  test('not a list that leaves a number out', () => {
    const document = list.replace('**1.2**', '**1.7**');
    expect(problemsOf(soup.replace('1.2', '1.7'), document)).toEqual([]);
  });
});

test('templates have placeholders, and tests are found where a condition decides whether they run', () => {
  const source = `
    describe.each(rooms)('in the $name', () =>
      // shows: 1.1 [hall] [warm]
      test(\`is \${kind}\`, () => serve('hall', 'warm')));
    // shows: 1.2
    test.runIf(there)('it is eaten', async () => { await test_the_waters('never'); });`;
  expect(findTags(source)).toEqual({
    tags: [
      { statement: '1.1', title: 'in the hall > is warm' },
      { statement: '1.2', title: 'it is eaten' },
    ],
    problems: [],
  });
});
