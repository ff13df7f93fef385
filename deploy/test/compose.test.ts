import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run, whyNotRun } from './requirements.ts';

interface Service {
  image: string;
  environment: Record<string, string>;
  [key: string]: unknown;
}

const path = fileURLToPath(new URL('../compose.yaml', import.meta.url));
const compose: { services: Record<string, Service>; secrets: Record<string, { file: string }> } = parse(
  readFileSync(path, 'utf8'),
);
const services = Object.entries(compose.services);

describe('the Compose file', () => {
  test('has PostgreSQL, Parley and a proxy', () => {
    expect(Object.keys(compose.services)).toEqual(['postgres', 'parley', 'caddy']);
  });

  test.each(services)('%s has a read-only root and no privileges', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
  });

  test.each(services)('%s is of a fixed version', (_name, { image }) => {
    expect(image).toMatch(/:\d+(\.\d+)+/);
  });

  test.each(services)('%s has a health check: its own, or that of the image', (name, service) => {
    const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
    if (name === 'parley') expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    else expect(service).toHaveProperty('healthcheck.test');
  });

  test('secrets are in files, and in no variable', () => {
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^\.\/secrets\//);
    for (const [name, { environment }] of services)
      for (const [variable, value] of Object.entries(environment))
        if (/SECRET|PASSWORD|DATABASE_URL/.test(variable))
          expect(value, `${name} ${variable}`).toMatch(/^\/run\/secrets\//);
  });

  test('only the proxy has ports', () => {
    expect(services.filter(([, service]) => 'ports' in service).map(([name]) => name)).toEqual(['caddy']);
  });

  test.skipIf(whyNotRun('Compose file'))('docker-compose accepts it, and asks for the domain', () => {
    const config = ['--file', path, 'config'];
    const accepted = run('docker-compose', config, { PARLEY_BASE_DOMAIN: 'chat.example.com' });
    expect(accepted).toMatchObject({ status: 0 });
    expect(parse(accepted.stdout).services.caddy.environment.CADDY_SITES.trim()).toBe('chat.example.com');
    const refused = run('docker-compose', config);
    expect([refused.status === 0, refused.stderr]).toEqual([false, expect.stringContaining('PARLEY_BASE_DOMAIN')]);
  });
});
