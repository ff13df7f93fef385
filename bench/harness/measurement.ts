// A measurement, and how its results become rows that meet a limit or miss it.
import type { Harness } from './harness.ts';

export interface Measurement {
  /** The name with which it runs alone: `npm run bench -- send`. */
  readonly name: string;
  /** Takes an hour or more, so a run of everything leaves it out. */
  readonly onlyByName?: true;
  run(harness: Harness): Promise<MeasurementRow[]>;
}

export type Figures = Readonly<Record<string, number | string>>;

export interface MeasurementRow {
  readonly compared: string;
  /** In readable form. */
  readonly result: string;
  /** Null: the row is informational. */
  readonly bar: string | null;
  readonly held: boolean | null;
  /** The used part of the limit: 1 is all of it. Null where that has no meaning. */
  readonly used: number | null;
  /** The counters and times that the result comes from. */
  readonly figures: Figures;
}

/** The unit of ratios. */
export const TIMES = ' times';

interface Judged {
  readonly compared: string;
  readonly value: number;
  readonly limit: number;
  /** Follows the value and the limit, e.g. ` ms`. */
  readonly unit: string;
  readonly figures?: Figures;
}

export function atMost({ compared, value, limit, unit, figures = {} }: Judged): MeasurementRow {
  return {
    compared,
    result: withUnit(value, unit),
    bar: `at most ${withUnit(limit, unit)}`,
    held: value <= limit,
    used: limit === 0 ? (value === 0 ? 0 : 2) : value / limit,
    figures,
  };
}

export function atLeast({ compared, value, limit, unit, figures = {} }: Judged): MeasurementRow {
  return {
    compared,
    result: withUnit(value, unit),
    bar: `at least ${withUnit(limit, unit)}`,
    held: value >= limit,
    used: limit / value,
    figures,
  };
}

const withUnit = (value: number, unit: string): string => (unit === TIMES ? times(value) : `${shown(value)}${unit}`);

/** Two counts that must be equal. */
export function equal(
  compared: string,
  [value, other]: readonly [number, number],
  figures: Figures = {},
): MeasurementRow {
  return {
    compared,
    result: `${shown(value)} and ${shown(other)}`,
    bar: 'equal',
    held: value === other,
    used: null,
    figures,
  };
}

/** A row without a limit. */
export const printRow = (compared: string, result: string, figures: Figures = {}): MeasurementRow => ({
  compared,
  result,
  bar: null,
  held: null,
  used: null,
  figures,
});

export const failed = (error: unknown): MeasurementRow => ({
  compared: error instanceof Error ? error.message : String(error),
  result: 'not measured',
  bar: 'runs to its end',
  held: false,
  used: null,
  figures: {},
});

/** A readable number: whole from 100 on, else three digits. */
export function shown(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3).replace(/\.?0+$/, '');
}

/** A count with its noun. */
export const counted = (count: number, what: string): string => `${shown(count)} ${what}${count === 1 ? '' : 's'}`;

/** A ratio. */
export const times = (value: number): string => `${value < 100 ? value.toFixed(2) : shown(value)}${TIMES}`;

/** Milliseconds in the shortest form. */
export const ms = (value: number): string => (value >= 10_000 ? `${shown(value / 1000)} s` : `${shown(value)} ms`);
