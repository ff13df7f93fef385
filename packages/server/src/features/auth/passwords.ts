import { createRequire } from 'node:module';
import { FairQueue } from '../../core/fair-queue.ts';
import { lazy } from '../../core/lazy.ts';
import { limits } from '../../core/limits.ts';

const require = createRequire(import.meta.url);
const argon2 = lazy(() => require('@node-rs/argon2') as typeof import('@node-rs/argon2'));
const zxcvbn = lazy(() => ({
  ...(require('@zxcvbn-ts/core') as typeof import('@zxcvbn-ts/core')),
  ...(require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')),
}));

// Argon2id: 19 MiB, two passes, one thread. Each verification takes that memory and tens of milliseconds of a core, so
// few run at once, and a flood of logins waits here instead of starving all other requests.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const queue = new FairQueue({
  running: 2,
  waiting: 100,
  errorMessage: 'The server is checking too many passwords.',
});

/** Whether a password check that starts now would have to wait. */
export const isHashingBusy = (): boolean => queue.isBusy;

/** `lane` is an account, or the network of clients that have not logged in yet. Lanes take turns. */
export function hashPassword(password: string, lane = 'accounts'): Promise<string> {
  return queue.run(lane, () => argon2().hash(password, cost));
}

const last = new Map<string, Promise<unknown>>();

/** Serializes attempts on one account, so that concurrent guesses are counted like sequential ones. */
export async function runInTurn<T>(account: string, attempt: () => Promise<T>): Promise<T> {
  const current = (last.get(account) ?? Promise.resolve()).then(attempt, attempt);
  last.set(account, current);
  try {
    return await current;
  } finally {
    if (last.get(account) === current) last.delete(account);
  }
}

// The hash of a value that cannot be entered: comparing with it takes as long as with a wrong password.
let absentHash: Promise<string> | undefined;

/** Whether the password matches the hash. Without a hash it does not, after the same time. */
export async function verifyPassword(password_hash: string | null, password: string, lane: string): Promise<boolean> {
  if (password_hash !== null) return queue.run(lane, () => argon2().verify(password_hash, password));
  absentHash ??= argon2().hash(`\0${crypto.randomUUID()}`, cost);
  const hash = await absentHash;
  await queue.run(lane, () => argon2().verify(hash, password));
  return false;
}

type Estimator = InstanceType<typeof import('@zxcvbn-ts/core').ZxcvbnFactory>;

let prepared: Estimator | undefined;

// Loaded on first use: the word lists take tens of milliseconds to prepare.
function estimator(): Estimator {
  const { ZxcvbnFactory, dictionary, adjacencyGraphs } = zxcvbn();
  prepared ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return prepared;
}

/**
 * The reason why a password is rejected, if there is one. `inputs` are what an attacker knows of the user: address and
 * name.
 */
export function passwordProblem(password: string, inputs: readonly string[]): string | undefined {
  const { password_min_length, password_min_guesses } = limits;
  if ([...password].length < password_min_length) return `A password has at least ${password_min_length} characters.`;
  const known = inputs.flatMap((input) => [input, ...input.split(/[^\p{L}\p{N}]+/u)]).filter((input) => input !== '');
  if (estimator().check(password, known).guesses >= password_min_guesses) return undefined;
  return 'The password is too easy to guess.';
}
