// Fails when a text cites a rule that the behaviour reference does not have, or cites a rule by a number.
import { findDeadCitations, findUnclearHeadings, REFERENCE, readHeadings } from './citations.ts';
import { readFiles } from './read-files.ts';
import { report } from './report.ts';

const pages = readFiles(`${REFERENCE}*.md`);
const files = readFiles('*.ts', '*.mjs', '*.cjs', '*.astro', '*.css', '*.yaml', '*.md', '*.mdx');
// Its examples are citations of rules that do not exist.
const others = files.filter(({ path }) => path !== 'scripts/citations.test.ts');

report('Citations', [...findUnclearHeadings(pages), ...findDeadCitations(others, readHeadings(pages))]);
