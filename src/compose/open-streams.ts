// Opens the streams with the market, the credentials and the settings.

import type { Access } from '../access/create-access.ts';
import { findTier } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import type { Market } from '../market/create-market.ts';
import { createStreams, type Streams } from '../market/stream/create-streams.ts';
import type { StreamSlotsOptions } from '../market/stream/open-stream.ts';
import type { StreamIncident } from '../market/stream/stream-hub.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface OpenStreamsOptions {
  readonly config: Config;
  readonly market: Market;
  readonly directory: ChainDirectory;
  readonly access: Pick<Access, 'tiers' | 'watch'>;
  /** Counts the streams of all processes, if several share the limits. */
  readonly sharedStreams?: StreamSlotsOptions['shared'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const HOUR_MS = 60 * 60 * 1000;
const PAGE_EVENTS = 500;
const SNAPSHOT_TRADES = 50;
const WAITING_BYTES_MAX = 256 * 1024;
const STALL_MS = 60_000;

/** A receiver of webhooks may be down for 80 hours, and then has the rest to catch up with. */
const WEBHOOK_HOURS = 96;

/**
 * How long indexers keep rollback records and news: a little longer than streams and webhooks may
 * look back.
 */
export function computeRollbacksKeptMs(config: Config): number {
  return Math.max(config.streams.resumeHours + 1, WEBHOOK_HOURS) * HOUR_MS;
}

export function openStreams(options: OpenStreamsOptions): Streams {
  const { config, market, directory, access, clock, logger, metrics } = options;
  const streams = createStreams({
    parts: market.parts,
    directory,
    clock,
    random: Math.random,
    sleep: (ms) => sleep(ms),
    limits: {
      resumeMs: config.streams.resumeHours * HOUR_MS,
      resumeEventsMax: config.streams.resumeEventsMax,
      snapshotTrades: SNAPSHOT_TRADES,
      pageEvents: PAGE_EVENTS,
      waitingBytesMax: WAITING_BYTES_MAX,
      stallMs: STALL_MS,
    },
    slots: {
      limitOf: (identity) => findTier(access.tiers, identity).depth.streams,
      totalMax: config.streams.totalMax,
      shared: options.sharedStreams,
    },
    tokensMax: (identity) => findTier(access.tiers, identity).depth.streamTokens,
    watch: (identity, onEnded) => access.watch.watch(identity, onEnded),
    onError: (error) => {
      if (!isLoggedOutage(error)) logger.error({ err: error }, 'a stream failed');
    },
  });
  const { hub } = streams;
  metrics.gauge('mintwire_streams_open', 'Open streams.', () => hub.clientCount);
  metrics.gauge(
    'mintwire_stream_tokens',
    'Tokens with at least one open stream.',
    () => hub.channelCount,
  );
  const count = (incident: StreamIncident, help: string) =>
    metrics.gauge(`mintwire_streams_${incident}`, help, () => hub.counts[incident]);
  count('resumed', 'Streams that resumed and got what they missed.');
  count('reset', 'Streams that were too far behind to resume and started over.');
  count('cut', 'Streams closed because the client was too slow.');
  streams.start();
  return streams;
}
