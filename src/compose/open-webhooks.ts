// Opens the webhooks with their store, the feed and the settings.

import type { Access } from '../access/create-access.ts';
import type { Peppers } from '../access/peppers.ts';
import type { Config } from '../config.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import type { Market } from '../market/create-market.ts';
import type { Streams } from '../market/stream/create-streams.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { FeedReader } from '../webhooks/feed-reader.ts';
import { createSendDelivery } from '../webhooks/send-delivery.ts';
import { createTargetLookup } from '../webhooks/target.ts';
import { createWebhookHandlers } from '../webhooks/webhook-handlers.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';

interface OpenWebhooksOptions {
  readonly config: Config;
  readonly store: Store;
  readonly market: Market;
  readonly streams: Streams;
  readonly access: Pick<Access, 'tiers'>;
  readonly peppers: Peppers;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const TICK_MS = 100;
/** Standard Webhooks recommends 15 to 30 seconds. */
const TIMEOUT_MS = 20_000;
const MS_PER_SECOND = 1000;

export function openWebhooks(options: OpenWebhooksOptions) {
  const { config, store, market, streams, access, peppers, clock, logger, metrics } = options;
  const { parts } = market;
  const allowsPrivate = config.webhooks.privateTargets === 'on';
  const lookup = createTargetLookup(allowsPrivate);
  const nowMs = () => clock.nowMs();
  const sender = new WebhookSender({
    store: store.webhooks,
    leases: store.leases,
    signals: store.signals,
    node: options.node,
    leaseMs: config.node.leaseSeconds * MS_PER_SECOND,
    ...{ parts, peppers, clock, sleep, tickMs: TICK_MS, random: Math.random },
    reader: new FeedReader({ ...parts, hub: streams.hub }),
    send: createSendDelivery({ allowsPrivate, lookup, nowMs, timeoutMs: TIMEOUT_MS }),
    onError: (error) => {
      if (!isLoggedOutage(error)) logger.error({ err: error }, 'a webhook could not be sent');
    },
  });
  const { counts } = sender;
  metrics.gauge('mintwire_webhooks', 'Webhooks that this process sends.', () => sender.count);
  metrics.gauge('mintwire_webhook_attempts', 'Attempts under way.', () => sender.attempts);
  metrics.gauge(
    'mintwire_webhooks_delivered',
    'Deliveries that receivers have acknowledged.',
    () => counts.delivered,
  );
  metrics.gauge('mintwire_webhooks_failed', 'Attempts that failed.', () => counts.failed);
  sender.start();
  const { tiers } = access;
  return {
    sender,
    handlers: createWebhookHandlers({
      ...{
        store: store.webhooks,
        market: parts,
        sender,
        peppers,
        tiers,
        allowsPrivate,
        lookup,
        clock,
      },
    }),
    stop: () => sender.stop(),
  };
}
