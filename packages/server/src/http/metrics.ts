import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OperationId } from '../core/contract.ts';
import { wasRejected } from './admission/index.ts';
import { findCall } from './call.ts';
import { shareFigures } from './cluster-metrics.ts';

/** The numbers of waiting requests and emails. */
export interface Waiting {
  readonly polls: number;
  readonly requests: number;
  /** Undefined while the database does not respond. */
  readonly emails: number | undefined;
}

export interface Metrics {
  /** Counts every request that passes. */
  readonly layer: RequestHandler;
  /** Counts a request that was rejected early. */
  rejected(): void;
  /** A response did not match the document. */
  badResponse(operation: OperationId): void;
  /** An email was sent, or the attempt failed. */
  countEmail(outcome: 'sent' | 'failed'): void;
  /** Sets the function that reads the waiting numbers on request. */
  observe(read: () => Promise<Waiting>): void;
  /** The page for Prometheus. */
  page(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const labelNames = ['operation', 'status'] as const;
  const requests = new Counter({ name: 'parley_requests_total', help: 'Completed requests.', labelNames, registers });
  const durations = new Histogram({
    name: 'parley_request_duration_seconds',
    help: 'Time to respond; getEvents includes the time it waits.',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const broken = new Counter({
    name: 'parley_bad_responses_total',
    help: 'Responses that were not as the OpenAPI document says.',
    labelNames: ['operation'],
    registers,
  });
  shareFigures(registry);
  const waiting = new WaitingFigures();
  addWaitingGauges(registers, waiting);
  const rejected = new Counter({
    name: 'parley_requests_rejected_total',
    help: 'Requests rejected with 503 because no slot was free in time.',
    registers,
  });
  const emails = countEmailsIn(registers);
  return {
    layer: countRequests(requests, durations, rejected),
    rejected: () => {
      requests.inc({ operation: 'none', status: 503 });
      rejected.inc();
    },
    badResponse: (operation) => broken.inc({ operation }),
    countEmail: (outcome) => emails.inc({ outcome }),
    observe: (read) => waiting.observe(read),
    page: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function countRequests(
  requests: Counter<'operation' | 'status'>,
  durations: Histogram<'operation'>,
  rejected: Counter,
): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.on('finish', () => {
      const call = findCall(req);
      const operation = call?.id ?? 'none';
      requests.inc({ operation, status: res.statusCode });
      if (wasRejected(req) && res.statusCode === 503) rejected.inc();
      durations.observe({ operation }, (performance.now() - started) / 1000);
    });
    next();
  };
}

/** Reads the waiting numbers once for a page, however many gauges show them. */
class WaitingFigures {
  #read: (() => Promise<Waiting>) | undefined;
  #current: Promise<Waiting | undefined> | undefined;

  observe(read: () => Promise<Waiting>): void {
    this.#read = read;
  }

  async get(part: keyof Waiting): Promise<number> {
    this.#current ??= this.#readOnce();
    return (await this.#current)?.[part] ?? Number.NaN;
  }

  async #readOnce(): Promise<Waiting | undefined> {
    try {
      return await this.#read?.();
    } finally {
      this.#current = undefined;
    }
  }
}

function addWaitingGauges(registers: Registry[], waiting: WaitingFigures): void {
  const add = (part: keyof Waiting, name: string, help: string, aggregator: 'sum' | 'first') =>
    new Gauge({
      ...{ name, help, registers, aggregator },
      async collect() {
        this.set(await waiting.get(part));
      },
    });
  add('polls', 'parley_waiting_polls', 'GET /events requests that wait, and streams of events.', 'sum');
  add('requests', 'parley_waiting_requests', 'Requests that wait for a slot among those in progress.', 'sum');
  // All processes count the same rows.
  const emails = 'Emails in the database, of all organizations, that are still to be sent.';
  add('emails', 'parley_emails_waiting', emails, 'first');
}

function countEmailsIn(registers: Registry[]): Counter<'outcome'> {
  const handled = new Counter({
    name: 'parley_emails_total',
    help: 'Attempts of this process to send an email.',
    labelNames: ['outcome'],
    registers,
  });
  // A rate needs the first step from zero as well.
  for (const outcome of ['sent', 'failed']) handled.inc({ outcome }, 0);
  return handled;
}
