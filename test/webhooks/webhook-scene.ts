// Webhooks on a market that a fake chain fills, and a receiver that does what a test wants.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildTiers } from '../../src/access/tiers.ts';
import { loadConfig } from '../../src/config.ts';
import type { HandlerContext, Handlers } from '../../src/contract/handler.ts';
import type { Identity } from '../../src/contract/identity.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { createInputParser } from '../../src/contract/parse-input.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Market } from '../../src/market/create-market.ts';
import type { Streams } from '../../src/market/stream/create-streams.ts';
import type { LeaseStore } from '../../src/store/feed-store.ts';
import type { Store } from '../../src/store/store.ts';
import { FeedReader } from '../../src/webhooks/feed-reader.ts';
import { createSendDelivery } from '../../src/webhooks/send-delivery.ts';
import { createTargetLookup } from '../../src/webhooks/target.ts';
import { createWebhookHandlers } from '../../src/webhooks/webhook-handlers.ts';
import { WebhookSender } from '../../src/webhooks/webhook-sender.ts';
import { createTestPeppers, PLENTY_ENV } from '../start-access.ts';
import { walletId } from '../test-ids.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

export interface ReceivedEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: Json;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly text: string;
  readonly body: Json;
}

/** What the receiver does; `lost` takes the delivery and answers with half an answer. */
type Behaviour = 'take' | 'fail' | 'reset' | 'lost' | 'gone' | { readonly status: number };

export interface Receiver {
  readonly url: string;
  /** Every request. */
  readonly all: Received[];
  /** Every delivery that was taken, whether or not the sender has learnt that. */
  readonly taken: Received[];
  behave: (received: Received) => Behaviour | Promise<Behaviour>;
  /** Events in the order in which they came first. */
  listEvents(): ReceivedEvent[];
  close(): Promise<void>;
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === 'reset') response.destroy();
  else if (behaviour === 'lost') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setImmediate(() => response.destroy());
  } else {
    const status = { take: 204, fail: 500, gone: 410 };
    response.statusCode = typeof behaviour === 'string' ? status[behaviour] : behaviour.status;
    if (response.statusCode === 302) response.setHeader('location', 'http://127.0.0.1:1/');
    response.end(response.statusCode === 204 ? undefined : 'not \u202enow\u0007');
  }
}

export async function startReceiver(t: { after(work: () => unknown): void }): Promise<Receiver> {
  const all: Received[] = [];
  const taken: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const received = { headers: request.headers, text, body: JSON.parse(text) };
      all.push(received);
      const behaviour = await receiver.behave(received);
      const isTaken = behaviour === 'take' || behaviour === 'lost';
      if (isTaken) taken.push(received);
      answer(response, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    ...{ all, taken },
    behave: () => 'take',
    listEvents: () => {
      const seen = new Set<string>();
      return taken.flatMap(({ body }) =>
        (body.data.events as ReceivedEvent[]).filter((event) => {
          // Several tokens may have an event at one place.
          const key = `${event.id} ${JSON.stringify(event.data)}`;
          const isNew = !seen.has(key);
          seen.add(key);
          return isNew;
        }),
      );
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  t.after(() => receiver.close());
  return receiver;
}

/** All nodes on a store have the same. */
const peppers = createTestPeppers();

type WebhookId = Extract<keyof Handlers, `${string}ebhook${string}`>;

const WALLET = walletId('eip155:0x00000000000000000000000000000000000000aa');

export const OWNER: Identity = {
  ...{ kind: 'key', key: WALLET, walletId: WALLET, keyId: 'key_1' },
  ...{ tier: null, limits: null },
};

export interface WebhookNode {
  readonly sender: WebhookSender;
  readonly errors: unknown[];
  /** Calls through the operation's own parser. */
  ask(id: WebhookId, input: Readonly<Record<string, unknown>>, identity?: Identity): Promise<Json>;
  /** It neither sends nor stores anything from now on, like a process that was killed. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface WebhookNodeOptions {
  readonly store: Store;
  readonly market: Market;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly name?: string;
  readonly leaseMs?: number;
  readonly timeoutMs?: number;
  readonly allowsPrivate?: boolean;
}

export function startWebhookNode(options: WebhookNodeOptions): WebhookNode {
  const { market, streams, clock, allowsPrivate = true } = options;
  const errors: unknown[] = [];
  let isKilled = false;
  const store = {
    ...options.store.webhooks,
    saveSteps: (steps: Parameters<Store['webhooks']['saveSteps']>[0]) =>
      isKilled ? Promise.reject(new Error('killed')) : options.store.webhooks.saveSteps(steps),
  };
  const lookup = createTargetLookup(allowsPrivate);
  const { timeoutMs = 60_000 } = options;
  const sender = new WebhookSender({
    ...{ store, peppers, clock, parts: market.parts, random: () => 0.5, tickMs: 5 },
    leases:
      options.store.leases &&
      new Proxy(options.store.leases, {
        // A process that was killed releases nothing.
        get: (leases, name: keyof LeaseStore) =>
          name === 'release' && isKilled ? async () => undefined : leases[name].bind(leases),
      }),
    signals: options.store.signals,
    node: options.name ?? 'node',
    leaseMs: options.leaseMs ?? 60_000,
    reader: new FeedReader({ ...market.parts, hub: streams.hub }),
    send: createSendDelivery({ allowsPrivate, lookup, timeoutMs, nowMs: () => clock.nowMs() }),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(ms, 5));
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    onError: (error) => {
      if (!isKilled) errors.push(error);
    },
  });
  sender.start();
  const config = loadConfig(PLENTY_ENV);
  const tiers = buildTiers(config.limits, config.tiers);
  const handlers = createWebhookHandlers({
    ...{ store, market: market.parts, sender, peppers, tiers, allowsPrivate, lookup, clock },
  });
  const ask: WebhookNode['ask'] = (id, input, identity = OWNER) => {
    const operation = (operations as readonly Operation[]).find((one) => one.id === id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    const context: HandlerContext = {
      ...{ identity, requestId: 'test', addressGroup: 'test', origin: null, idempotencyKey: null },
    };
    const parsed = createInputParser(operation.input, 'json')(input);
    return (handlers[id] as (input: unknown, context: HandlerContext) => Promise<Json>)(
      parsed,
      context,
    );
  };
  return {
    ...{ sender, errors, ask },
    kill: async () => {
      isKilled = true;
      await sender.stop();
    },
    stop: () => sender.stop(),
  };
}
