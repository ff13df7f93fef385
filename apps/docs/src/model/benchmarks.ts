// The results that `npm run bench` stores, for the page of benchmarks.
interface Row {
  readonly name: string;
  readonly compared: string;
  readonly result: string;
  readonly bar: string | null;
  readonly held: boolean | null;
  readonly figures: Readonly<Record<string, number | string>>;
}

export interface Benchmarks {
  readonly date: string;
  readonly scale: number;
  readonly machine: Readonly<Record<'cpu' | 'memory' | 'system' | 'node' | 'postgres' | 'settings', string>> & {
    readonly cpus: number;
  };
  readonly rows: readonly Row[];
}

export interface ShownRow {
  readonly name: string;
  readonly compared: string;
  readonly result: string;
  readonly bar: string;
  readonly verdict: string;
  /** Counters and times that the result comes from. */
  readonly figures: string;
}

export const shownRows = ({ rows }: Benchmarks): ShownRow[] =>
  rows.map(({ name, compared, result, bar, held, figures }) => ({
    ...{ name, compared, result },
    bar: bar ?? 'none',
    verdict: held === null ? '' : held ? 'met' : 'missed',
    figures: Object.entries(figures)
      .map(([label, value]) => `${label}: ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`)
      .join('; '),
  }));

/** The number of thresholds that were met, the date, and the machine: one sentence each. */
export function summary({ date, scale, machine, rows }: Benchmarks): string[] {
  const judged = rows.filter(({ held }) => held !== null);
  const held = judged.filter((row) => row.held).length;
  return [
    `${held} of ${judged.length} thresholds were met.`,
    `Measured on ${date.slice(0, 10)} on ${machine.cpus} × ${machine.cpu} with ${machine.memory}, ${machine.system}.`,
    `Node ${machine.node.replace(/^v/, '')}; PostgreSQL ${machine.postgres} with ${machine.settings}.`,
    ...(scale === 1 ? [] : [`Sizes were scaled by ${scale}.`]),
  ];
}
