// Real proxies, with the configuration that operators copy, as processes of their own on free ports.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeCertificate } from '../../packages/server/test/certificate.ts';
import { findServerPort } from '../../packages/server/test/server-port.ts';
import { requireProgram } from './requirements.ts';

/** The domain that the samples are written for. */
export const DOMAIN = 'chat.example.com';

export interface RunningProxy {
  readonly port: number;
  /** The port at which plain HTTP is redirected. */
  readonly httpPort: number;
  readonly ca: string;
  /** The effective configuration as the proxy prints it. */
  readonly configuration: string;
  /** The newest error lines of the proxy. */
  errors(): string;
  end(): Promise<void>;
}

export type StartProxy = (upstreams: readonly number[]) => Promise<RunningProxy>;

interface ProxyOptions {
  readonly folder: string;
  readonly port: number;
  readonly httpPort: number;
  readonly upstreams: readonly number[];
}

interface Command {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Record<string, string>;
  /** Prints the configuration as the proxy parses it, and fails for an invalid one. */
  readonly check: readonly string[];
}

export const startNginx: StartProxy = (upstreams) => startProxy(upstreams, nginxCommand);
export const startCaddy: StartProxy = (upstreams) => startProxy(upstreams, caddyCommand);

async function startProxy(
  upstreams: readonly number[],
  commandOf: (options: ProxyOptions) => Command,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-proxy-'));
  const { cert, key } = await makeCertificate(DOMAIN, `*.${DOMAIN}`);
  writeFileSync(join(folder, 'fullchain.pem'), cert);
  writeFileSync(join(folder, 'privkey.pem'), key);
  const options = { folder, port: await findServerPort(), httpPort: await findServerPort(), upstreams };
  const { program, words, environment, check } = commandOf(options);
  const env = { PATH: process.env.PATH, HOME: folder, ...environment };
  const checked = spawnSync(program, check, { env, encoding: 'utf8' });
  if (checked.status !== 0) throw new Error(`${program} ${check.join(' ')}: ${checked.stderr}`);
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  // A test can end before the proxy is ready.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let printed = '';
  child.stderr.on('data', (part) => (printed += part));
  await listening(child, options.port, () => printed);
  return {
    port: options.port,
    httpPort: options.httpPort,
    ca: cert,
    configuration: checked.stdout,
    errors: () => printed.split('\n').filter(isAboutError).slice(-20).join('\n'),
    async end() {
      process.off('exit', kill);
      if (child.exitCode === null) {
        const ended = once(child, 'close');
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isAboutError = (line: string): boolean => /error|warn/i.test(line);

async function listening(child: ChildProcess, port: number, printed: () => string): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(20);
  }
  throw new Error(`The proxy ended: ${printed()}`);
}

const sample = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Replaces the values that operators replace. A missing text is an error of the test. */
function replaceEach(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`There is no "${from}" to replace.`);
    return changed.replaceAll(from, to);
  }, text);
}

function nginxCommand({ folder, port, httpPort, upstreams }: ProxyOptions): Command {
  const [first, second] = upstreams;
  const servers = replaceEach(sample('nginx/parley.conf'), {
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    'listen [::]:80;': '',
    'listen [::]:443 ssl http2;': '',
    '/etc/parley/tls': folder,
    '127.0.0.1:8080': `127.0.0.1:${first}`,
    '127.0.0.1:8081': `127.0.0.1:${second}`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = join(folder, 'nginx.conf');
  writeFileSync(join(folder, 'parley.conf'), servers);
  writeFileSync(
    main,
    [
      'daemon off;',
      // Only this user can read the directory. If root starts nginx, its workers run as another user.
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `pid ${folder}/nginx.pid;`,
      'error_log stderr;',
      'events {}',
      'http {',
      'access_log off;',
      ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
      `include ${folder}/parley.conf;`,
      '}',
    ].join('\n'),
  );
  const words = ['-c', main, '-e', 'stderr'];
  return { program: requireProgram('nginx'), words, environment: {}, check: ['-T', ...words] };
}

function caddyCommand({ folder, port, httpPort, upstreams }: ProxyOptions): Command {
  const file = join(folder, 'Caddyfile');
  // The changes that tests need: no administration endpoint, and other ports.
  const options = `{\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n}\n`;
  writeFileSync(file, options + sample('caddy/Caddyfile'));
  const environment = {
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    CADDY_TLS: `${folder}/fullchain.pem ${folder}/privkey.pem`,
    CADDY_UPSTREAMS: upstreams.map((upstream) => `127.0.0.1:${upstream}`).join(' '),
  };
  const words = ['--config', file, '--adapter', 'caddyfile'];
  const check = ['adapt', ...words, '--pretty', '--validate'];
  return { program: requireProgram('caddy'), words: ['run', ...words], environment, check };
}
