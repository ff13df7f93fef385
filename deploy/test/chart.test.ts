import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { variableNames } from '../../packages/server/src/config/index.ts';
import { run, whyNotRun } from './requirements.ts';

const chart = fileURLToPath(new URL('../helm/parley', import.meta.url));
const REQUIRED = ['baseDomain=chat.example.com', 'existingSecret=parley-secrets'];

interface Container {
  readonly args: readonly string[];
  readonly securityContext: object;
  readonly volumeMounts: readonly object[];
}

interface Labels {
  readonly [name: string]: string;
}

/** The fields that the tests read, of all kinds of objects. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Record<string, string>;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Labels; readonly annotations: Labels };
      readonly spec: { initContainers: Container[]; containers: Container[]; volumes: object[] };
    };
    readonly selector: Labels & { readonly matchLabels: Labels };
    readonly rules: readonly { host: string; http: { paths: { backend: object }[] } }[];
    readonly tls: readonly object[];
  };
}

function helm(values: readonly string[], command: readonly string[]) {
  return run('helm', [...command, chart, ...values.flatMap((value) => ['--set', value])]);
}

function rendered(...values: string[]): Map<string, Manifest> {
  const { status, stdout, stderr } = helm([...REQUIRED, ...values], ['template', 'acme']);
  if (status !== 0) throw new Error(stderr);
  const manifests = parseAllDocuments(stdout).map((document): Manifest => document.toJS());
  return new Map(manifests.map((manifest) => [manifest.kind, manifest]));
}

const required = (manifests: Map<string, Manifest>, kind: string): Manifest => {
  const manifest = manifests.get(kind);
  if (!manifest) throw new Error(`There is no ${kind}.`);
  return manifest;
};

describe.skipIf(whyNotRun('Helm chart'))('the Helm chart', () => {
  test('passes the linter', () => {
    expect(helm(REQUIRED, ['lint', '--strict'])).toMatchObject({ status: 0 });
  });

  test('has the objects that a deployment needs, and no optional object that is turned off', () => {
    const kinds = ['ConfigMap', 'Deployment', 'Ingress', 'PodDisruptionBudget', 'Service'];
    expect([...rendered().keys()].sort()).toEqual(kinds);
    expect([...rendered('replicas=1', 'ingress.enabled=false').keys()].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Service',
    ]);
  });

  test.each(['baseDomain', 'existingSecret'])('does not render without %s, and names it', (name) => {
    const { status, stderr } = helm(
      REQUIRED.filter((value) => !value.startsWith(name)),
      ['template', 'acme'],
    );
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(name)]);
  });

  test('runs without root, without privileges, and with a read-only root', () => {
    const { template } = required(rendered(), 'Deployment').spec;
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    });
    const containers = [...template.spec.initContainers, ...template.spec.containers];
    expect(containers.map(({ args }) => args)).toEqual([['migrate'], ['serve']]);
    for (const container of containers)
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  test('probes /livez for liveness, and /readyz for readiness', () => {
    const [container] = required(rendered(), 'Deployment').spec.template.spec.containers;
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/livez' } },
      livenessProbe: { httpGet: { path: '/livez' } },
      readinessProbe: { httpGet: { path: '/readyz' } },
    });
  });

  test('settings are settings of Parley, and secrets are mounted as files from the Secret', () => {
    const manifests = rendered('settings.PARLEY_LOG=warn', 'secretFiles.PARLEY_MAIL_FILE=mail');
    const { data } = required(manifests, 'ConfigMap');
    expect(data).toMatchObject({ PARLEY_LOG: 'warn', PARLEY_MAIL_FILE: '/etc/parley/mail', PARLEY_MIGRATE: 'off' });
    for (const name of Object.keys(data)) expect(variableNames).toContain(name);
    const { spec } = required(manifests, 'Deployment').spec.template;
    expect(spec.volumes).toMatchObject([{ secret: { secretName: 'parley-secrets' } }]);
    for (const container of spec.containers)
      expect(container.volumeMounts).toMatchObject([{ mountPath: '/etc/parley' }]);
  });

  test('changed settings result in new pods', () => {
    const checksum = (...values: string[]) =>
      required(rendered(...values), 'Deployment').spec.template.metadata.annotations['checksum/settings'];
    expect(checksum()).toBe(checksum());
    expect(checksum('settings.PARLEY_LOG=warn')).not.toBe(checksum());
  });

  test('selectors select the pods, and the ingress leads to the service', () => {
    const manifests = rendered('ingress.tlsSecret=certificate');
    const { metadata } = required(manifests, 'Deployment').spec.template;
    for (const selector of [
      required(manifests, 'Deployment').spec.selector.matchLabels,
      required(manifests, 'Service').spec.selector,
      required(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
    ])
      expect(metadata.labels).toMatchObject(selector as Labels);
    const { rules, tls } = required(manifests, 'Ingress').spec;
    const hosts = ['chat.example.com', '*.chat.example.com'];
    expect(rules.map(({ host }) => host)).toEqual(hosts);
    expect(tls).toEqual([{ hosts, secretName: 'certificate' }]);
    const service = required(manifests, 'Service');
    for (const { http } of rules)
      expect(http.paths).toMatchObject([
        { backend: { service: { name: service.metadata.name, port: { name: 'http' } } } },
      ]);
  });
});
