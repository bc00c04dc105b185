// The dashboards and alerts that operators get: every metric in them is one that the service has,
// and what Grafana and Prometheus would reject is rejected here.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { Ajv } from 'ajv';
import { parse as parseYaml } from 'yaml';
import { startService } from '../../src/compose/start-service.ts';
import { loadConfig } from '../../src/config.ts';
import { getKlines } from '../../src/contract/operations/get-klines.ts';
import { klineSchema } from '../../src/contract/schemas/market-schemas.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTestDatabase } from '../postgres.ts';
import { before } from '../root-hooks.ts';
import { createTempFolder } from '../start-service-process.ts';

const DASHBOARDS = globSync('deploy/grafana/dashboards/*.json');
const ALERTS = 'deploy/prometheus/alerts.yml';

/** Given by Prometheus itself. */
const PROMETHEUS_METRICS = ['up', 'ALERTS'];
/** Labels of our metrics, those of scrapes, and the bucket's. */
const LABELS: ReadonlySet<string> = new Set([
  ...['operation', 'status', 'policy', 'outcome', 'chain', 'method', 'list'],
  ...['job', 'instance', 'role', 'le', 'alertstate'],
]);

interface Target {
  readonly refId: string;
  readonly expr?: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; h: number };
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly { type: string; query: string }[] };
  readonly annotations: { readonly list: readonly { expr: string }[] };
  readonly panels: readonly Panel[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

function readDashboard(path: string): Dashboard {
  return JSON.parse(readFileSync(path, 'utf8')) as Dashboard;
}

function readRules(): readonly Rule[] {
  const file = parseYaml(readFileSync(ALERTS, 'utf8')) as RuleFile;
  return file.groups.flatMap(({ rules }) => rules);
}

/** Grafana puts values in place of these before Prometheus sees them. */
function fillVariables(expression: string): string {
  return expression.replaceAll(/\$\w+|\$\{\w+\}/g, 'filled');
}

/** The metrics and labels that an expression names; throws if it is not PromQL. */
function readExpression(expression: string): { metrics: string[]; labels: string[] } {
  const text = fillVariables(expression);
  const names = { metrics: [] as string[], labels: [] as string[] };
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const word = text.slice(from, to);
      if (type.isError) {
        throw new Error(`not PromQL at ${from}, near "${text.slice(from, to + 20)}": ${text}`);
      }
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        names.metrics.push(word);
      }
      if (type.name === 'LabelName') names.labels.push(word);
    },
  });
  return names;
}

/** What a variable of the kind `label_values(metric, label)` asks for. */
function readVariable(query: string): { metrics: string[]; labels: string[] } {
  const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
  assert.notEqual(label, '', `no query that is understood here: ${query}`);
  const { metrics, labels } = readExpression(selector);
  return { metrics, labels: [...labels, label] };
}

function listExpressions(): { where: string; metrics: string[]; labels: string[] }[] {
  const ofRules = readRules().map(({ alert, expr }) => ({ where: alert, ...readExpression(expr) }));
  const ofDashboards = DASHBOARDS.map(readDashboard).flatMap((dashboard) => [
    ...dashboard.templating.list
      .filter(({ type }) => type === 'query')
      .map(({ query }) => ({ where: `a variable of ${dashboard.uid}`, ...readVariable(query) })),
    ...dashboard.annotations.list.map(({ expr }) => ({
      ...{ where: `an annotation of ${dashboard.uid}`, ...readExpression(expr) },
    })),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) =>
        expr === undefined ? [] : [{ where: title, ...readExpression(expr) }],
      ),
    ),
  ]);
  return [...ofRules, ...ofDashboards];
}

/** Every name that a scrape of a running service can have. */
async function readRegisteredNames(folder: string): Promise<ReadonlySet<string>> {
  const database = await createTestDatabase();
  const config = loadConfig({
    ...{ DEVNET: 'off', PORT: '0', METRICS_PORT: '0', DATA_DIR: folder },
    // Everything that has metrics of its own; a Redis that is down has them, too.
    ...{ DATABASE_URL: database.url, DATABASE_READ_URL: database.url },
    REDIS_URL: 'redis://127.0.0.1:1',
    KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const logger = createLogger({ level: 'silent', format: 'json' });
  const service = await startService({ config, version: '0.0.0', logger });
  try {
    const text = await (await fetch(service.metricsUrl)).text();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const names = types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    );
    return new Set([...names, ...PROMETHEUS_METRICS]);
  } finally {
    await service.stop();
    await database.drop();
  }
}

describe('metrics', () => {
  let registered: ReadonlySet<string>;
  const undo: (() => unknown)[] = [];

  before(async () => {
    const cleanup = { after: (work: () => unknown) => void undo.push(work) };
    registered = await readRegisteredNames(createTempFolder(cleanup));
    for (const work of undo) await work();
  });

  test('every metric in a dashboard or an alert is registered by the service', () => {
    const expressions = listExpressions();
    assert.ok(expressions.length > 50);
    const unknown = expressions.flatMap(({ where, metrics }) =>
      metrics.filter((name) => !registered.has(name)).map((name) => `${where}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  test('every metric of the operating guide is registered by the service', () => {
    const guide = readFileSync('docs/operating.md', 'utf8');
    const named = new Set(guide.match(/\bmintwire_[a-z_]+/g));
    assert.ok(named.size > 20);
    assert.deepEqual(
      [...named].filter((name) => !registered.has(name)),
      [],
    );
  });
});

test('every label in a dashboard or an alert is one that series have', () => {
  const unknown = listExpressions().flatMap(({ where, labels }) =>
    labels.filter((label) => !LABELS.has(label)).map((label) => `${where}: ${label}`),
  );
  assert.deepEqual(unknown, []);
});

test('an expression that is not PromQL is found, and so are its names', () => {
  assert.throws(() => readExpression('sum(rate(up[5m])'), /not PromQL/);
  assert.throws(() => readExpression('sum by chain (up)'), /not PromQL/);
  assert.deepEqual(readExpression('sum by (chain) (rate(a_total{b=~"$c"}[5m])) > 1'), {
    metrics: ['a_total'],
    labels: ['chain', 'b'],
  });
});

const TEXT = { type: 'string', minLength: 1 };

const RULES_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['groups'],
  properties: {
    groups: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'rules'],
        properties: {
          name: TEXT,
          rules: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['alert', 'expr', 'labels', 'annotations'],
              properties: {
                alert: { type: 'string', pattern: '^Mintwire[A-Z][A-Za-z]+$' },
                expr: TEXT,
                for: { type: 'string', pattern: '^\\d+[smh]$' },
                labels: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['severity'],
                  properties: { severity: { enum: ['critical', 'warning'] } },
                },
                annotations: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['summary', 'description'],
                  properties: { summary: TEXT, description: TEXT },
                },
              },
            },
          },
        },
      },
    },
  },
};

test('the alerts have the form of a rule file, each with its own name and what to do', () => {
  const validate = new Ajv().compile(RULES_SCHEMA);
  assert.ok(validate(parseYaml(readFileSync(ALERTS, 'utf8'))), JSON.stringify(validate.errors));
  const names = readRules().map(({ alert }) => alert);
  assert.equal(new Set(names).size, names.length);
  const guide = readFileSync('docs/operating.md', 'utf8');
  const unexplained = names.filter((name) => !guide.includes(`\`${name.slice(8)}\``));
  assert.deepEqual(unexplained, []);
});

test('panels of a dashboard have ids and places of their own, within the grid', () => {
  assert.deepEqual(DASHBOARDS.map((path) => basename(path)).sort(), [
    'mintwire.gen.json',
    'token.gen.json',
  ]);
  for (const { panels } of DASHBOARDS.map(readDashboard)) {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos, targets = [] } of panels) {
      assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24, title);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
      for (let { x } = gridPos; x < gridPos.x + gridPos.w; x += 1) {
        for (let { y } = gridPos; y < gridPos.y + gridPos.h; y += 1) {
          const other = taken.get(`${x} ${y}`);
          assert.equal(other, undefined, `${title} covers ${other}`);
          taken.set(`${x} ${y}`, title);
        }
      }
    }
  }
});

test('the panel of candles asks for what the API takes and reads what it gives', () => {
  const dashboard = readDashboard('deploy/grafana/dashboards/token.gen.json');
  const [target] = dashboard.panels[0]?.targets ?? [];
  const { url, url_options, root_selector, columns } = target as unknown as {
    readonly url: string;
    readonly url_options: { readonly params: readonly { key: string; value: string }[] };
    readonly root_selector: string;
    readonly columns: readonly { readonly selector: string; readonly text: string }[];
  };
  assert.equal(url, `/v1${getKlines.path}`);
  const given = url_options.params.map(({ key }) => key);
  assert.deepEqual(
    given.filter((key) => !Object.hasOwn(getKlines.input.properties, key)),
    [],
  );
  const required = Object.entries(getKlines.input.properties)
    .filter(([key, one]) => getKlines.input.required.includes(key as never) && !('default' in one))
    .map(([key]) => key);
  assert.deepEqual(
    required.filter((key) => !given.includes(key)),
    [],
  );
  assert.ok(Object.hasOwn(getKlines.output.properties, root_selector));
  assert.deepEqual(
    columns.filter(({ selector }) => !Object.hasOwn(klineSchema.properties, selector)),
    [],
  );
});
