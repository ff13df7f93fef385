// The figures of a run of the benchmarks, and where they were measured.
import type { Machine } from './machine.ts';
import type { MeasurementRow } from './measurement.ts';

export interface MeasuredRow extends MeasurementRow {
  /** The measurement that it comes from. */
  readonly name: string;
}

export interface Results {
  readonly date: string;
  /** 1 is full size. */
  readonly scale: number;
  readonly machine: Machine;
  readonly rows: readonly MeasuredRow[];
}
