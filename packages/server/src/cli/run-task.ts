import { ApiError } from '../core/errors.ts';
import { describeError } from '../core/plain-error.ts';
import type { CommandOutcome } from '../http/control-server.ts';
import { StartError } from '../start-error.ts';
import type { CommandContext, CommandHandler, Task } from './types.ts';

type Works = Readonly<Record<string, CommandHandler<never>>>;

/** The implementation of each command, by its first word. Each takes the input that its declaration produces. */
const modules: Readonly<Record<string, () => Promise<Works>>> = {
  realm: async () => (await import('./realm.ts')).realmWorks,
  user: async () => (await import('./user.ts')).userWorks,
  token: async () => (await import('./token.ts')).tokenWorks,
  migrate: async () => (await import('./migrate.ts')).migrateWorks,
  restored: async () => (await import('./raise-epoch.ts')).restoredWorks,
  secret: async () => (await import('./secret.ts')).secretWorks,
  doctor: async () => (await import('./doctor.ts')).doctorWorks,
  'deliver-mail': async () => (await import('./deliver-mail.ts')).deliverMailWorks,
  retention: async () => (await import('./retention.ts')).retentionWorks,
  populate: async () => (await import('./populate/index.ts')).populateWorks,
};

/** Runs a command in this process. */
export async function runTask(desk: CommandContext, sent: unknown): Promise<CommandOutcome> {
  const task = asTask(sent);
  const work = task && (await findWork(task.name));
  if (!work)
    return {
      code: 2,
      stdout: [],
      stderr: ['The running server does not know this command: it may have another version.'],
    };
  try {
    const { json, lines, failed = false, code = failed ? 1 : 0 } = await work(desk, task.input);
    return { code, stdout: task.json ? [JSON.stringify(json)] : lines, stderr: [] };
  } catch (error) {
    if (error instanceof ApiError || error instanceof StartError)
      return { code: 1, stdout: [], stderr: [error.message] };
    const reason = describeError(error);
    desk.app.log.error({ command: task.name, reason }, 'a command failed');
    return { code: 1, stdout: [], stderr: [`The command failed with an unexpected error: ${reason}`] };
  }
}

function asTask(sent: unknown): Task | undefined {
  const { name, input, json } = (sent ?? {}) as Partial<Record<keyof Task, unknown>>;
  const known = typeof name === 'string' && typeof input === 'object' && input !== null;
  return known ? { name, input, json: json === true } : undefined;
}

async function findWork(name: string): Promise<CommandHandler<object> | undefined> {
  const [first = ''] = name.split(' ');
  const works = Object.hasOwn(modules, first) ? await modules[first]?.() : undefined;
  return works && Object.hasOwn(works, name) ? (works[name] as CommandHandler<object>) : undefined;
}
