// The metrics of chains: how far each is indexed, and what that took.

import type { AdoptionStatus } from '../ingest/adopt/pool-adopter.ts';
import type { BackfillProgress } from '../ingest/backfill/backfiller.ts';
import type { LookupStatus } from '../ingest/demand/token-lookups.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { MethodUsage } from '../model/rpc-usage.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChainReport } from './indexer-message.ts';
import type { IndexerReport } from './shared-report.ts';

interface MeasuredChains {
  /** Of the chains that this process indexes. */
  readonly listOwn: () => Iterable<readonly [ChainSlug, ChainReport]>;
  /** Of all chains, whichever process indexes them. */
  readonly listSeen: () => Iterable<readonly [ChainSlug, IndexerReport]>;
  readonly isReady: (chain: ChainSlug) => boolean;
  /** What the calls of this process took. */
  readonly listUsage: () => Iterable<{ readonly chain: ChainSlug; readonly usage: MethodUsage }>;
  /** How many tokens wait for their lookup. */
  readonly countWaiting: () => number;
}

type AddGauge<Report> = (
  name: string,
  help: string,
  read: (report: Report) => number | null,
) => void;

export function measureChains(metrics: Metrics, chains: MeasuredChains): void {
  measureProgress(metrics, chains);
  const gauge: AddGauge<ChainReport> = (name, help, read) =>
    metrics.chainGauge(name, help, () =>
      Array.from(chains.listOwn(), ([chain, report]) => [chain, read(report)] as const),
    );
  gauge('mintwire_chain_blocks_indexed', 'Blocks since the start.', (one) => one.blocksTotal);
  gauge('mintwire_chain_trades_indexed', 'Trades since the start.', (one) => one.tradesTotal);
  gauge(
    'mintwire_chain_reorganisations',
    'Rollbacks since the start.',
    (one) => one.reorganisationsTotal,
  );
  gauge(
    'mintwire_chain_swaps_unclaimed',
    'Swaps seen since the start that no known venue claims; they are not stored.',
    (one) => one.swapsUnclaimed,
  );
  metrics.chainCallCounter(
    'mintwire_chain_calls_undecoded_total',
    "Calls of a venue's program that are not decoded, by their first bytes.",
    () =>
      Array.from(chains.listOwn(), ([chain, { undecoded }]) =>
        undecoded.map(({ venue, discriminator: instruction, count: value }) => ({
          ...{ chain, venue, instruction, value },
        })),
      ).flat(),
  );
  gauge('mintwire_chain_rpc_requests', 'Requests to endpoints.', (one) => one.rpcRequests);
  gauge('mintwire_chain_rpc_failures', 'Failed requests.', (one) => one.rpcFailures);
  gauge('mintwire_chain_indexing', 'Whether this process indexes the chain.', () => 1);
  measureUsage(metrics, chains);
  measureBackgroundJobs(gauge);
  metrics.gauge('mintwire_lookups_waiting', 'Tokens that wait for their lookup.', () => {
    return chains.countWaiting();
  });
}

function measureProgress(metrics: Metrics, chains: MeasuredChains): void {
  const list = (read: (report: IndexerReport) => number | null) => () =>
    Array.from(chains.listSeen(), ([chain, report]) => [chain, read(report)] as const);
  const gauge: AddGauge<IndexerReport> = (name, help, read) =>
    metrics.chainGauge(name, help, list(read));
  gauge('mintwire_chain_head_block', "The chain's newest block.", (one) => one.status.head);
  gauge('mintwire_chain_indexed_block', 'The last indexed block.', (one) => one.status.block);
  gauge(
    'mintwire_chain_lag_seconds',
    'Age of the last indexed block relative to the head.',
    (one) => (one.status.lagMs === null ? null : one.status.lagMs / 1000),
  );
  metrics.chainGauge(
    'mintwire_chain_ready',
    'Whether the chain is indexed up to its head.',
    list(({ status }) => (chains.isReady(status.chain) ? 1 : 0)),
    'min',
  );
  gauge('mintwire_chain_slowed', 'Whether its daily budget slows the chain down.', (one) =>
    one.slowed === null ? 0 : 1,
  );
}

function measureUsage(metrics: Metrics, chains: MeasuredChains): void {
  const usage = (name: string, help: string, pick: (usage: MethodUsage) => number) =>
    metrics.chainMethodCounter(name, help, () =>
      Array.from(chains.listUsage(), ({ chain, usage: one }) => ({
        ...{ chain, method: one.method, value: pick(one) },
      })),
    );
  usage('mintwire_rpc_calls_total', 'Calls to endpoints.', ({ calls }) => calls);
  usage('mintwire_rpc_credits_total', 'What they cost.', ({ credits }) => credits);
  usage(
    'mintwire_rpc_received_bytes_total',
    'Bytes received, as compressed by the endpoint.',
    ({ bytes }) => bytes,
  );
  usage(
    'mintwire_rpc_unpacked_bytes_total',
    'The same bytes, unpacked.',
    ({ unpackedBytes }) => unpackedBytes,
  );
}

function measureBackgroundJobs(gauge: AddGauge<ChainReport>): void {
  const adoption = (name: keyof AdoptionStatus, help: string) =>
    gauge(`mintwire_adoption_${name}`, help, (one) => one.adoption?.[name] ?? null);
  adoption('waiting', 'Pools that are older than the index and wait for their adoption.');
  adoption('adopted', 'Pools adopted since the start.');
  adoption('failed', 'Adoptions that failed since the start; each is tried again.');
  adoption('calls', 'Requests that adoptions took since the start.');
  const backfill = (name: keyof BackfillProgress, help: string) =>
    gauge(`mintwire_backfill_${name}`, help, (one) => one.backfill?.[name] ?? null);
  backfill('waiting', 'Tokens whose history is waiting or being read.');
  backfill('done', 'Backfill jobs finished since the start.');
  backfill('failed', 'Backfill jobs that failed since the start.');
  backfill('calls', 'Requests that backfill took since the start.');
  const lookups = (name: keyof LookupStatus, help: string) =>
    gauge(`mintwire_lookups_${name}`, help, (one) => one.lookups?.[name] ?? null);
  lookups('running', 'Tokens that are being looked up.');
  lookups('found', 'Tokens found by lookups since the start.');
  lookups('failed', 'Lookups since the start that no node answered.');
  lookups('calls', 'Requests that lookups took since the start.');
}
