// The manifests for Kubernetes, checked as far as it can be without a cluster: by its API's
// schemas, and against the settings, routes and names that they refer to.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { type PodSpec, Secret, Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config.ts';

interface Part {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Labels } & Labels;
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

type Labels = Readonly<Record<string, string>>;

const KINDS = { Deployment, Job, PodDisruptionBudget, Secret, Service, StatefulSet } as const;

const FILES = globSync('deploy/kubernetes/*.yaml').map((file) => {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return { file, parts: documents.map((one) => one.toJS() as Part) };
});

function validate(part: Part): void {
  const Kind = KINDS[part.kind as keyof typeof KINDS];
  assert.ok(Kind, `${part.kind} is not checked here`);
  new Kind(part as never).validate();
}

function listPods(parts: readonly Part[]) {
  return parts.flatMap((part) => (part.spec?.template ? [{ part, ...part.spec.template }] : []));
}

test('every manifest has the form that the API of Kubernetes asks for', () => {
  assert.equal(FILES.length, 2);
  for (const { parts } of FILES) for (const part of parts) validate(part);
  const [broken] = FILES.flatMap(({ parts }) => parts).filter(({ kind }) => kind === 'Deployment');
  assert.ok(broken);
  assert.throws(() => validate({ ...broken, spec: { replicas: 'two' } as never }), /replicas/);
  assert.throws(() => validate({ ...broken, spec: {} }), /selector/);
});

test('every setting is known, and those of a whole node are a configuration', () => {
  const known = new Set(SETTINGS.map(({ name }) => name));
  for (const { parts } of FILES) {
    const secret = parts.find(({ kind }) => kind === 'Secret')?.stringData ?? assert.fail();
    for (const { spec } of listPods(parts)) {
      const own = spec.containers.flatMap(({ env = [] }) => env);
      const values = Object.fromEntries(own.map(({ name, value }) => [name, value ?? '']));
      const pepper = `1:${Buffer.alloc(32, 1).toString('base64')}`;
      const all: Labels = { ...secret, ...values, KEY_PEPPER: pepper };
      assert.deepEqual(
        Object.keys(all).filter((name) => !known.has(name)),
        [],
      );
      assert.deepEqual(loadConfig(all).unknownNames, []);
    }
  }
});

test('services, budgets and deployments select pods that are there', () => {
  for (const { file, parts } of FILES) {
    const pods = listPods(parts).map(({ metadata }) => metadata.labels);
    for (const { kind, metadata, spec } of parts) {
      if (spec?.selector === undefined) continue;
      const wanted = Object.entries(spec.selector.matchLabels ?? (spec.selector as Labels));
      const found = pods.filter((labels) => wanted.every(([key, value]) => labels[key] === value));
      assert.equal(found.length, 1, `${file}: ${kind} ${metadata.name}`);
    }
  }
});

test('no container runs as root, writes beside its volumes, or asks a route that is not there', () => {
  const paths = new Set<string>();
  for (const { file, parts } of FILES) {
    for (const { part, spec } of listPods(parts)) {
      const name = `${file}: ${part.metadata.name}`;
      assert.equal(spec.securityContext?.runAsNonRoot, true, name);
      assert.equal(spec.enableServiceLinks, false, name);
      const volumes = new Set(spec.volumes?.map((one) => one.name));
      if (part.kind === 'StatefulSet') volumes.add('data');
      for (const one of spec.containers) {
        assert.equal(one.securityContext?.readOnlyRootFilesystem, true, name);
        assert.deepEqual(one.securityContext?.capabilities?.drop, ['ALL'], name);
        const mounted = one.volumeMounts?.map((mount) => mount.name) ?? [];
        assert.deepEqual([...volumes].sort(), mounted.toSorted(), name);
        for (const probe of [one.livenessProbe, one.readinessProbe]) {
          if (probe?.httpGet) paths.add(probe.httpGet.path ?? '');
        }
      }
    }
  }
  assert.deepEqual([...paths].sort(), ['/v1/health', '/v1/ready']);
});
