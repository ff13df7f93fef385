import { setTimeout as pause } from 'node:timers/promises';
import { DirectoryInUse, deferOptimization, holderOf, migrationStatus } from '@parley/db';
import type { App } from '../app.ts';
import type { Config } from '../config/index.ts';
import { type CommandOutcome, runOnServer } from '../http/control-server.ts';
import { bringUpToDate, type Opened, openApp, requireKnownSecret, requireServableDatabase } from '../open.ts';
import { StartError } from '../start-error.ts';
import { DIRECTORY_TIMEOUT } from './retry-when-free.ts';
import { runTask } from './run-task.ts';
import type { Task } from './types.ts';

/** Runs a command: in the server that has the embedded database, or else in this process. */
export async function dispatchTask(config: Config, task: Task): Promise<CommandOutcome> {
  const command = `parley ${task.name}`;
  if (config.database_url !== undefined) return runHere(await openApp(config, { command }), task);
  deferOptimization();
  const deadline = Date.now() + DIRECTORY_TIMEOUT;
  for (;;) {
    const address = (await holderOf(config.data_dir))?.door;
    const outcome = address && (await runOnServer(address, task, config.data_dir));
    if (outcome) return outcome;
    const opened = await openUnlessTaken(config, command, deadline);
    if (opened) return runHere(opened, task);
    await pause(100);
  }
}

/** Undefined: another process has the directory, and the waiting time is not over. */
async function openUnlessTaken(config: Config, command: string, deadline: number): Promise<Opened | undefined> {
  try {
    return await openApp(config, { command });
  } catch (error) {
    if (error instanceof DirectoryInUse && Date.now() < deadline) return undefined;
    throw error;
  }
}

async function runHere(opened: Opened, task: Task): Promise<CommandOutcome> {
  try {
    await prepare(opened, task);
    const outcome = await runTask(opened, task);
    return { ...outcome, stderr: [...copyNotice(opened), ...outcome.stderr] };
  } finally {
    await opened.close();
  }
}

/**
 * A copy of a directory contains a copy of its lock: a command for the copy must not reach the server that the lock
 * names.
 */
function copyNotice({ config, lock }: Opened): string[] {
  if (!lock?.copied_from) return [];
  const { pid, command } = lock.copied_from;
  return [
    `${config.data_dir} is a copy: process ${pid} (${command}) uses the original directory, and this command changed the copy only.`,
  ];
}

/** The startup of a server, except for what the command itself checks or changes. */
async function prepare({ app, config }: Opened, { name }: Task): Promise<void> {
  if (name === 'doctor' || name.startsWith('migrate')) return;
  await requireUpToDate(app, config);
  if (name !== 'secret accept') await requireKnownSecret(app);
  await app.epochWatch.check();
}

/**
 * Migrates a new database, or one that belongs to this process alone; a database in use is not changed as a side
 * effect.
 */
async function requireUpToDate({ database }: App, { migrate: allowed }: Config): Promise<void> {
  await requireServableDatabase(database);
  const migrations = await migrationStatus(database.db);
  if (migrations.every(({ applied }) => applied)) return;
  const untouched = database.kind === 'embedded' || migrations.every(({ applied }) => !applied);
  if (!allowed || !untouched) throw new StartError('The database is not up to date: run parley migrate first.');
  await bringUpToDate(database);
}
