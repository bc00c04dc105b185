// A Grafana dashboard with the candles of one token, on the public API.

/** Reads JSON over HTTP; `deploy/grafana/provisioning` gives it our address. */
const API = { type: 'yesoreyeram-infinity-datasource', uid: 'mintwire' };

/** Intervals by their length: short ones are not worth a request for a year. */
const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'];

const KLINE_COLUMNS: readonly { selector: string; text: string; type: string }[] = [
  { selector: 'openTime', text: 'time', type: 'timestamp_epoch' },
  ...['open', 'high', 'low', 'close', 'volume'].map((name) => ({
    ...{ selector: name, text: name, type: 'number' },
  })),
];

function buildTextVariable(about: { name: string; label: string; query: string }) {
  const { query } = about;
  return { ...about, type: 'textbox', current: { text: query, value: query } };
}

function buildCandlesPanel() {
  return {
    id: 1,
    type: 'candlestick',
    title: '$mint on $chain, $interval',
    description: 'Candles of /v1/token/klines, in dollars.',
    datasource: API,
    gridPos: { x: 0, y: 0, w: 24, h: 18 },
    fieldConfig: { defaults: { unit: 'currencyUSD' }, overrides: [] },
    options: {
      mode: 'candles+volume',
      candleStyle: 'candles',
      colorStrategy: 'open-close',
      includeAllFields: false,
      fields: Object.fromEntries(KLINE_COLUMNS.slice(1).map(({ text }) => [text, text] as const)),
    },
    targets: [
      {
        refId: 'A',
        datasource: API,
        type: 'json',
        source: 'url',
        parser: 'backend',
        format: 'table',
        url: '/v1/token/klines',
        url_options: {
          method: 'GET',
          params: [
            { key: 'chain', value: '$chain' },
            { key: 'mint', value: '$mint' },
            { key: 'interval', value: '$interval' },
            { key: 'startTime', value: '$__from' },
            { key: 'endTime', value: '$__to' },
            { key: 'limit', value: '1000' },
          ],
        },
        root_selector: 'klines',
        columns: KLINE_COLUMNS,
        filters: [],
      },
    ],
  };
}

export function buildTokenDashboard() {
  const [first = ''] = INTERVALS;
  return {
    uid: 'mintwire-token',
    title: 'Token',
    tags: ['mintwire'],
    schemaVersion: 41,
    editable: true,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-12h', to: 'now' },
    templating: {
      list: [
        buildTextVariable({ name: 'chain', label: 'Chain', query: 'base' }),
        buildTextVariable({
          name: 'mint',
          label: 'Token',
          query: '0x4200000000000000000000000000000000000006',
        }),
        {
          name: 'interval',
          label: 'Interval',
          type: 'custom',
          query: INTERVALS.join(','),
          options: INTERVALS.map((value) => ({ text: value, value, selected: value === first })),
          current: { text: first, value: first },
        },
      ],
    },
    annotations: { list: [] },
    panels: [buildCandlesPanel()],
  };
}
