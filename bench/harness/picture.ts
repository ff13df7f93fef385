// The results as a chart: for each row with a limit, how much of the limit was used.
import type { MeasuredRow, Results } from './results.ts';

const WIDTH = 760;
const ROW = 46;
const TOP = 68;
/** The position of the limit: the chart extends to twice as much. */
const LINE = 500;
const MOST = 1.45;

// Between the colors of light and dark pages, so that it is readable on both; pages that embed it can set `color`.
const INK = '#707b87';
const HELD = '#12908a';
const MISSED = '#d0611f';

export function picture({ rows, date, machine, scale }: Results): string {
  const drawn = rows.filter(({ used }) => used !== null);
  const judged = rows.filter(({ held }) => held !== null);
  const held = judged.filter((row) => row.held).length;
  const height = TOP + drawn.length * ROW + 12;
  const title = `${held} of ${judged.length} thresholds met`;
  const where = `${date.slice(0, 10)}, ${machine.cpus} × ${machine.cpu}, PostgreSQL ${machine.postgres}${scale === 1 ? '' : `, sizes times ${scale}`}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="benchmarks" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" color="${INK}" fill="currentColor" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="benchmarks-title">`,
    `<title id="benchmarks-title">${escaped(`${title}; the table has the figures.`)}</title>`,
    `<text x="0" y="18" font-size="16" font-weight="600">${escaped(title)}</text>`,
    `<text x="0" y="38">${escaped(where)}</text>`,
    `<text x="${LINE}" y="${TOP}" font-size="11" text-anchor="middle">threshold ↓</text>`,
    ...drawn.map((row, n) => drawnRow(row, TOP + n * ROW)),
    '</svg>',
    '',
  ].join('\n');
}

function drawnRow({ name, compared, result, held, used }: MeasuredRow, y: number): string {
  const length = Math.max(2, Math.min(used ?? 0, MOST) * LINE);
  const note = held ? result : `${result}, missed`;
  return [
    `<text x="0" y="${y + 16}"><tspan font-weight="600">${escaped(name)}</tspan> ${escaped(shortened(compared))}</text>`,
    `<text x="${WIDTH}" y="${y + 16}" text-anchor="end" font-weight="600">${escaped(note)}</text>`,
    `<rect x="0" y="${y + 23}" width="${length.toFixed(0)}" height="10" rx="2" fill="${held ? HELD : MISSED}"/>`,
    `<path d="M${LINE} ${y + 19}v18" stroke="currentColor" stroke-width="2" fill="none"/>`,
  ].join('\n');
}

const LONGEST = 84;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
