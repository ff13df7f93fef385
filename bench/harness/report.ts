// The table of results, and the files that store it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.ts';
import { type Figures, shown } from './measurement.ts';
import { picture } from './picture.ts';
import type { MeasuredRow, Results } from './results.ts';

export const folder = fileURLToPath(new URL('../results/', import.meta.url));
const WIDTH = 64;

/** Only a complete run at full size replaces the stored results; any other run is stored in a file of its own. */
export function keep(results: Results, isWhole: boolean): string {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}${isWhole ? 'latest' : 'partial'}`;
  writeFileSync(`${file}.json`, `${JSON.stringify(results, rounded, 2)}\n`);
  writeFileSync(`${file}.svg`, picture(results));
  return `${file}.json`;
}

/** Four digits are more than the accuracy of any result. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

export function table({ rows, machine, date, scale }: Results): string {
  const lines = rows.flatMap((row) => linesOf(row));
  const widths = lines.reduce<number[]>((most, line) => line.map((cell, n) => Math.max(most[n] ?? 0, cell.length)), []);
  const ruled = lines.map((line) =>
    line
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...ruled, '', ...facts(machine), `${date.slice(0, 10)}${scale === 1 ? '' : `, sizes times ${scale}`}`].join(
    '\n',
  );
}

function linesOf({ name, compared, result, bar, held, figures }: MeasuredRow): string[][] {
  const [first = '', ...more] = wrapped(compared);
  const verdict = held === null ? '' : held ? 'held' : 'MISSED';
  return [
    [name, first, result, bar ?? 'no threshold', verdict],
    ...more.map((text) => ['', text, '', '', '']),
    ...wrapped(figuresText(figures)).map((text) => ['', `  ${text}`, '', '', '']),
  ];
}

const facts = ({ cpu, cpus, memory, system, node, postgres, settings }: Machine): string[] => [
  `${cpus} × ${cpu}, ${memory}, ${system}`,
  `Node ${node}, PostgreSQL ${postgres} (${settings})`,
];

const figuresText = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? shown(value) : value}`)
    .join(' · ');

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return text === '' ? [] : lines;
}
