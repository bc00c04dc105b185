// The Grafana dashboard for operators, on Prometheus.

import { type PanelForm, SECTIONS, type Section } from './operator-panels.ts';

const PROMETHEUS = { type: 'prometheus', uid: 'prometheus' };

const COLUMNS = 24;
const ROW_HEIGHT = 8;
const STAT_HEIGHT = 4;

function buildThresholds([warning, alarm]: readonly [number, number]) {
  return {
    mode: 'absolute',
    steps: [
      { color: 'green', value: null },
      { color: 'orange', value: warning },
      { color: 'red', value: alarm },
    ],
  };
}

function buildPanel(form: PanelForm, place: { id: number; x: number; y: number; w: number }) {
  const { id, ...at } = place;
  const kind = form.kind ?? 'timeseries';
  return {
    id,
    type: kind,
    title: form.title,
    description: form.about,
    datasource: PROMETHEUS,
    gridPos: { ...at, h: kind === 'stat' ? STAT_HEIGHT : ROW_HEIGHT },
    fieldConfig: {
      defaults: {
        unit: form.unit ?? 'short',
        min: 0,
        ...(form.thresholds === undefined ? {} : { thresholds: buildThresholds(form.thresholds) }),
        ...(kind === 'stat' ? {} : { custom: { fillOpacity: 8, lineWidth: 1 } }),
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? { colorMode: form.thresholds === undefined ? 'none' : 'value', graphMode: 'area' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: Object.entries(form.queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: PROMETHEUS,
      expr,
      legendFormat,
    })),
  };
}

/** A heading, then the panels, as many in a line as fit. */
function layOut(sections: readonly Section[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: forms } of sections) {
    const heading = { type: 'row', collapsed: false, panels: [] };
    panels.push({
      ...heading,
      id: panels.length + 1,
      title,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    const areStats = forms[0]?.kind === 'stat';
    const w = areStats ? COLUMNS / 6 : COLUMNS / 2;
    const height = areStats ? STAT_HEIGHT : ROW_HEIGHT;
    const perLine = COLUMNS / w;
    for (const [index, form] of forms.entries()) {
      const place = { x: (index % perLine) * w, y: y + Math.floor(index / perLine) * height, w };
      panels.push(buildPanel(form, { id: panels.length + 1, ...place }));
    }
    y += Math.ceil(forms.length / perLine) * height;
  }
  return panels;
}

function buildVariable(about: { name: string; label: string; query: string }) {
  return {
    ...about,
    type: 'query',
    datasource: PROMETHEUS,
    includeAll: true,
    multi: true,
    allValue: '.+',
    current: { text: 'All', value: '$__all' },
    refresh: 2,
    sort: 1,
  };
}

export function buildOperatorsDashboard() {
  return {
    uid: 'mintwire',
    title: 'Mintwire',
    tags: ['mintwire'],
    schemaVersion: 41,
    editable: true,
    timezone: 'browser',
    refresh: '10s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        buildVariable({
          name: 'chain',
          label: 'Chain',
          query: 'label_values(mintwire_chain_head_block, chain)',
        }),
        buildVariable({
          name: 'node',
          label: 'Node',
          query: 'label_values(up{job="mintwire"}, instance)',
        }),
      ],
    },
    annotations: {
      list: [
        {
          name: 'Alerts',
          datasource: PROMETHEUS,
          enable: true,
          iconColor: 'red',
          expr: 'ALERTS{alertstate="firing"}',
          titleFormat: '{{alertname}} {{chain}} {{instance}}',
        },
      ],
    },
    panels: layOut(SECTIONS),
  };
}
