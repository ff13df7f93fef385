import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs a program to its end and returns what it printed; throws when it fails. */
export function run(cwd, command, args, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? ''}\n${stdout}${stderr}`);
}

const running = new Set();

/** Starts the server in a process group of its own; resolves with its address when it listens. */
export async function startServer(cwd, command, args, env) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const lines = [];
  child.stderr.on('data', (part) => lines.push(String(part)));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const [address] = /http:\/\/[\w.]+:\d+/.exec(line) ?? [];
      if (address) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`The server ended with ${code}:\n${lines.join('\n')}`)));
  });
  return { child, url };
}

function groupExists(child) {
  try {
    return process.kill(-child.pid, 0);
  } catch {
    return false;
  }
}

/** Sends SIGTERM to the process that was started; returns its exit code when no process of its group is left. */
export async function stopServer(child) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  for (let waited = 0; groupExists(child); waited += 50) {
    if (waited > 10_000) throw new Error('A process is left 10 seconds after SIGTERM.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  running.delete(child);
  return code ?? signal;
}

/** Ends what a failure left running. */
export function killServers() {
  for (const child of running) if (groupExists(child)) process.kill(-child.pid, 'SIGKILL');
}
