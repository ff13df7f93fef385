import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OperationId } from '../core/contract.ts';
import { findCall } from './call.ts';

/** What waits now. */
export interface Waiting {
  readonly polls: number;
  readonly requests: number;
  /** Undefined while the database does not answer. */
  readonly emails: number | undefined;
}

export interface Metrics {
  /** Counts every request that passes. */
  readonly layer: RequestHandler;
  /** Counts a request that was refused before it passed. */
  rejected(): void;
  /** An answer broke the document. */
  badResponse(operation: OperationId): void;
  /** A letter was handed over, or could not be this time. */
  countEmail(outcome: 'sent' | 'failed'): void;
  /** The page for Prometheus. */
  page(waiting: Waiting): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const labelNames = ['operation', 'status'] as const;
  const requests = new Counter({ name: 'parley_requests_total', help: 'Requests answered.', labelNames, registers });
  const durations = new Histogram({
    name: 'parley_request_duration_seconds',
    help: 'Time to answer; getEvents includes the time it waits.',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const broken = new Counter({
    name: 'parley_bad_responses_total',
    help: 'Answers that were not as the OpenAPI document says.',
    labelNames: ['operation'],
    registers,
  });
  const polls = pollsIn(registers);
  const admission = admissionIn(registers, requests);
  const letters = countEmailsIn(registers);
  return {
    layer: (req, res, next) => {
      const started = performance.now();
      res.on('finish', () => {
        const call = findCall(req);
        const operation = call?.id ?? 'none';
        requests.inc({ operation, status: res.statusCode });
        if (call && !call.slot && res.statusCode === 503) admission.rejected.inc();
        durations.observe({ operation }, (performance.now() - started) / 1000);
      });
      next();
    },
    rejected: admission.count,
    badResponse: (operation) => broken.inc({ operation }),
    countEmail: (outcome) => letters.handled.inc({ outcome }),
    page: (waiting) => {
      polls.set(waiting.polls);
      admission.waiting.set(waiting.requests);
      letters.waiting.set(waiting.emails ?? Number.NaN);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

const pollsIn = (registers: Registry[]) =>
  new Gauge({
    name: 'parley_waiting_polls',
    help: 'GET /events requests that wait, and streams of events.',
    registers,
  });

function admissionIn(registers: Registry[], requests: Counter<'operation' | 'status'>) {
  const waiting = new Gauge({
    name: 'parley_waiting_requests',
    help: 'Requests that wait for a place among those in work.',
    registers,
  });
  const rejected = new Counter({
    name: 'parley_requests_refused_total',
    help: 'Requests that got no place in time and were answered with 503.',
    registers,
  });
  const count = () => {
    requests.inc({ operation: 'none', status: 503 });
    rejected.inc();
  };
  return { waiting, rejected, count };
}

function countEmailsIn(registers: Registry[]) {
  const handled = new Counter({
    name: 'parley_letters_total',
    help: 'Attempts of this process to hand a letter over.',
    labelNames: ['outcome'],
    registers,
  });
  // A rate needs the first step from zero as well.
  for (const outcome of ['sent', 'failed']) handled.inc({ outcome }, 0);
  const waiting = new Gauge({
    name: 'parley_letters_waiting',
    help: 'Letters in the database, of all organizations, that are still to be handed over.',
    registers,
  });
  return { handled, waiting };
}
