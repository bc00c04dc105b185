// What the operators' dashboard shows.

export interface PanelForm {
  readonly title: string;
  readonly about: string;
  readonly unit?: string;
  readonly kind?: 'timeseries' | 'stat';
  /** Expressions by the legend of their series. */
  readonly queries: Readonly<Record<string, string>>;
  /** From when on a value is shown as a warning, and as an alarm. */
  readonly thresholds?: readonly [warning: number, alarm: number];
}

export interface Section {
  readonly title: string;
  readonly panels: readonly PanelForm[];
}

const STREAMED = 'getTokenStream|getTradeStatus';

export const SECTIONS: readonly Section[] = [
  {
    title: 'At a glance',
    panels: [
      {
        title: 'Nodes up',
        about: 'Processes that answered the last scrape.',
        kind: 'stat',
        queries: { up: 'sum(up{job="mintwire"})' },
      },
      {
        title: 'Chains ready',
        about: 'Chains that are indexed up to their head.',
        kind: 'stat',
        queries: { ready: 'sum(max by (chain) (mintwire_chain_ready))' },
      },
      {
        title: 'Largest lag',
        about: 'Age of the last indexed block, of the chain that is furthest behind.',
        kind: 'stat',
        unit: 's',
        thresholds: [30, 60],
        queries: { lag: 'max(mintwire_chain_lag_seconds)' },
      },
      {
        title: 'Requests',
        about: 'Answered a second, by all nodes.',
        kind: 'stat',
        unit: 'reqps',
        queries: { requests: 'sum(rate(mintwire_http_requests_total[1m]))' },
      },
      {
        title: 'Server errors',
        about: 'Share of answers with a status of 500 or above.',
        kind: 'stat',
        unit: 'percentunit',
        thresholds: [0.001, 0.01],
        queries: {
          errors:
            '(sum(rate(mintwire_http_requests_total{status=~"5.."}[5m])) or vector(0)) / sum(rate(mintwire_http_requests_total[5m]))',
        },
      },
      {
        title: 'Open streams',
        about: 'Of all nodes.',
        kind: 'stat',
        queries: { streams: 'sum(mintwire_streams_open)' },
      },
    ],
  },
  {
    title: 'Chains',
    panels: [
      {
        title: 'Lag',
        about: 'How far the index is behind the head. The nodes must agree.',
        unit: 's',
        thresholds: [30, 60],
        queries: { '{{chain}}': 'max by (chain) (mintwire_chain_lag_seconds{chain=~"$chain"})' },
      },
      {
        title: 'Who indexes',
        about: 'Exactly one node for each chain; a change is a takeover.',
        queries: {
          '{{chain}} on {{instance}}':
            'sum by (chain, instance) (mintwire_chain_indexing{chain=~"$chain"})',
        },
      },
      {
        title: 'Blocks to go',
        about: 'Blocks between the head and the index.',
        queries: {
          '{{chain}}':
            'max by (chain) (mintwire_chain_head_block{chain=~"$chain"}) - max by (chain) (mintwire_chain_indexed_block{chain=~"$chain"})',
        },
      },
      {
        title: 'Blocks indexed',
        about: 'A second.',
        queries: {
          '{{chain}}': 'sum by (chain) (rate(mintwire_chain_blocks_indexed{chain=~"$chain"}[5m]))',
        },
      },
      {
        title: 'Trades indexed',
        about: 'A second.',
        queries: {
          '{{chain}}': 'sum by (chain) (rate(mintwire_chain_trades_indexed{chain=~"$chain"}[5m]))',
        },
      },
      {
        title: 'Reorganisations and unclaimed swaps',
        about: 'An hour. Swaps that no known venue claims are not stored: a venue is missing.',
        queries: {
          '{{chain}} reorganisations':
            'sum by (chain) (increase(mintwire_chain_reorganisations{chain=~"$chain"}[1h]))',
          '{{chain}} unclaimed swaps':
            'sum by (chain) (increase(mintwire_chain_swaps_unclaimed{chain=~"$chain"}[1h]))',
        },
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by operation',
        about: 'A second.',
        unit: 'reqps',
        queries: {
          '{{operation}}':
            'sum by (operation) (rate(mintwire_http_requests_total{instance=~"$node"}[1m]))',
        },
      },
      {
        title: 'Refused and failed',
        about: 'Answers of 400 and above, a second.',
        unit: 'reqps',
        queries: {
          '{{status}}':
            'sum by (status) (rate(mintwire_http_requests_total{status=~"[45]..",instance=~"$node"}[1m]))',
        },
      },
      {
        title: 'Time to answer',
        about: 'Half, 95 % and 99 % of answers are faster; without streams and waiting requests.',
        unit: 's',
        queries: Object.fromEntries(
          [0.5, 0.95, 0.99].map((share) => [
            `p${share * 100}`,
            `histogram_quantile(${share}, sum by (le) (rate(mintwire_http_request_duration_seconds_bucket{operation!~"${STREAMED}",instance=~"$node"}[5m])))`,
          ]),
        ),
      },
      {
        title: 'Slowest operations',
        about: '99 % of their answers are faster.',
        unit: 's',
        queries: {
          '{{operation}}': `topk(8, histogram_quantile(0.99, sum by (le, operation) (rate(mintwire_http_request_duration_seconds_bucket{operation!~"${STREAMED}",instance=~"$node"}[5m]))))`,
        },
      },
      {
        title: 'Requests in work',
        about: 'Above OVERLOAD_REQUESTS_MAX new ones get 503.',
        queries: { '{{instance}}': 'mintwire_http_requests_in_flight{instance=~"$node"}' },
      },
      {
        title: 'Answers from memory',
        about: 'Share of reads that a kept answer served.',
        unit: 'percentunit',
        queries: {
          '{{instance}}':
            'rate(mintwire_answer_cache_hits{instance=~"$node"}[5m]) / (rate(mintwire_answer_cache_hits{instance=~"$node"}[5m]) + rate(mintwire_answer_cache_misses{instance=~"$node"}[5m]))',
        },
      },
      {
        title: 'Over budget',
        about: 'Requests a second that a budget refused, by policy.',
        unit: 'reqps',
        queries: {
          '{{policy}}':
            'sum by (policy) (rate(mintwire_limiter_decisions_total{outcome="refused",instance=~"$node"}[1m]))',
        },
      },
      {
        title: 'Route searches waiting',
        about: 'Quotes whose search waits for a thread.',
        queries: { '{{instance}}': 'mintwire_route_searches_waiting{instance=~"$node"}' },
      },
    ],
  },
  {
    title: 'Streams',
    panels: [
      {
        title: 'Open streams',
        about: 'Above STREAMS_MAX new ones get 503.',
        queries: { '{{instance}}': 'mintwire_streams_open{instance=~"$node"}' },
      },
      {
        title: 'Resumed, started over, cut off',
        about: 'A minute. Many that are cut off: readers or their network are too slow.',
        queries: {
          resumed: '60 * sum(rate(mintwire_streams_resumed{instance=~"$node"}[5m]))',
          'started over': '60 * sum(rate(mintwire_streams_reset{instance=~"$node"}[5m]))',
          'cut off': '60 * sum(rate(mintwire_streams_cut{instance=~"$node"}[5m]))',
        },
      },
    ],
  },
  {
    title: 'Processes and store',
    panels: [
      {
        title: 'CPU',
        about: 'Cores in use, all threads of a process.',
        queries: { '{{instance}}': 'rate(process_cpu_seconds_total{instance=~"$node"}[1m])' },
      },
      {
        title: 'Memory',
        about: 'Resident size.',
        unit: 'bytes',
        queries: { '{{instance}}': 'process_resident_memory_bytes{instance=~"$node"}' },
      },
      {
        title: 'Event-loop delay',
        about: 'Above OVERLOAD_LAG_MS new requests get 503.',
        unit: 's',
        thresholds: [0.1, 0.5],
        queries: { '{{instance}}': 'mintwire_event_loop_lag_seconds{instance=~"$node"}' },
      },
      {
        title: 'Store operations',
        about: '99 % are faster.',
        unit: 's',
        queries: {
          '{{operation}}':
            'topk(8, histogram_quantile(0.99, sum by (le, operation) (rate(mintwire_store_duration_seconds_bucket{instance=~"$node"}[5m]))))',
        },
      },
      {
        title: 'Full reloads of the feed',
        about: 'In an hour. A node that missed commits read everything again; should be 0.',
        thresholds: [1, 10],
        queries: {
          '{{chain}} on {{instance}}': 'increase(mintwire_feed_reloads{instance=~"$node"}[1h])',
        },
      },
      {
        title: 'Tokens and pools in memory',
        about: 'What search and quotes know.',
        queries: {
          '{{chain}} tokens': 'max by (chain) (mintwire_search_tokens{chain=~"$chain"})',
          '{{chain}} pools': 'max by (chain) (mintwire_pool_graph_pools{chain=~"$chain"})',
        },
      },
    ],
  },
  {
    title: 'Endpoints and work in the background',
    panels: [
      {
        title: 'Calls to endpoints',
        about: 'A second, by method.',
        unit: 'reqps',
        queries: {
          '{{chain}} {{method}}':
            'sum by (chain, method) (rate(mintwire_rpc_calls_total{chain=~"$chain"}[5m]))',
        },
      },
      {
        title: 'Failed requests to endpoints',
        about: 'Share of the requests.',
        unit: 'percentunit',
        thresholds: [0.05, 0.2],
        queries: {
          '{{chain}}':
            'sum by (chain) (rate(mintwire_chain_rpc_failures{chain=~"$chain"}[5m])) / sum by (chain) (rate(mintwire_chain_rpc_requests{chain=~"$chain"}[5m]))',
        },
      },
      {
        title: 'Credits a day',
        about: 'At the rate of the last hour; a chain that is slowed down has spent its budget.',
        queries: {
          '{{chain}}':
            '86400 * sum by (chain) (rate(mintwire_rpc_credits_total{chain=~"$chain"}[1h]))',
        },
      },
      {
        title: 'Waiting',
        about: 'Pools to be adopted, tokens whose history is filled in, tokens to be looked up.',
        queries: {
          '{{chain}} adoptions': 'sum by (chain) (mintwire_adoption_waiting{chain=~"$chain"})',
          '{{chain}} history': 'sum by (chain) (mintwire_backfill_waiting{chain=~"$chain"})',
          lookups: 'sum(mintwire_lookups_waiting)',
        },
      },
    ],
  },
];
