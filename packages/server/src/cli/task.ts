import { ApiError } from '../core/errors.ts';
import type { Outcome } from '../http/control.ts';
import { deliverMailWorks } from './deliver-mail.ts';
import { doctorWorks } from './doctor.ts';
import { migrateWorks } from './migrate.ts';
import { populateWorks } from './populate/index.ts';
import { realmWorks } from './realm.ts';
import { retentionWorks } from './retention.ts';
import type { Desk, Task, Work } from './types.ts';
import { userWorks } from './user.ts';

// Each takes the input that its own declaration makes.
const works: Readonly<Record<string, Work<never>>> = {
  ...realmWorks,
  ...userWorks,
  ...migrateWorks,
  ...doctorWorks,
  ...deliverMailWorks,
  ...retentionWorks,
  ...populateWorks,
};

/** Does a command in this process. */
export async function runTask(desk: Desk, sent: unknown): Promise<Outcome> {
  const task = asTask(sent);
  const work = task && (works[task.name] as Work<object>);
  if (!work)
    return { code: 2, stdout: [], stderr: ['This server does not know the command: is it of the same version?'] };
  try {
    const { json, lines, failed = false, code = failed ? 1 : 0 } = await work(desk, task.input);
    return { code, stdout: task.json ? [JSON.stringify(json)] : lines, stderr: [] };
  } catch (error) {
    if (error instanceof ApiError) return { code: 1, stdout: [], stderr: [error.message] };
    const reason = rootOf(error);
    desk.app.log.error({ command: task.name, reason }, 'a command failed');
    return { code: 1, stdout: [], stderr: [`This failed unexpectedly: ${reason}`] };
  }
}

function asTask(sent: unknown): Task | undefined {
  const { name, input, json } = (sent ?? {}) as Partial<Record<keyof Task, unknown>>;
  const known = typeof name === 'string' && Object.hasOwn(works, name) && typeof input === 'object' && input !== null;
  return known ? { name, input, json: json === true } : undefined;
}

/** What went wrong at the bottom of it. Further up a failed statement is quoted, values and all. */
function rootOf(error: unknown): string {
  const { cause, message } = error as { cause?: unknown; message?: string };
  return cause === undefined ? (message ?? String(error)) : rootOf(cause);
}
