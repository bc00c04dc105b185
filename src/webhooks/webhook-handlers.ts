// Handlers of the operations below /webhooks.

import type { LookupFunction } from 'node:net';
import type { Peppers } from '../access/peppers.ts';
import { createNonce } from '../access/secret-token.ts';
import { findTier, type Tiers } from '../access/tiers.ts';
import type { HandlerContext, Handlers } from '../contract/handler.ts';
import { requireWallet } from '../contract/identity.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import type {
  createWebhook,
  getWebhook,
  getWebhookDeliveries,
  replayWebhook,
  updateWebhook,
} from '../contract/operations/webhook-operations.ts';
import {
  buildNotReadyError,
  parseAddress,
  parseFollowedChain,
} from '../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { MarketParts } from '../market/market-parts.ts';
import { buildTokenNotFoundError, parseToken, withLookup } from '../market/parse-token.ts';
import type { ChainSlug } from '../model/chain.ts';
import type {
  WebhookCursor,
  WebhookDelivery,
  WebhookRecord,
  WebhookSettings,
} from '../model/webhook.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { encodeCursorId, parseCursorId } from './cursor-ids.ts';
import { findReplayStart } from './replay-start.ts';
import { createSecrets, ROTATION_MS } from './signing.ts';
import { findHostFault, findTargetFault } from './target.ts';
import type { WebhookSender } from './webhook-sender.ts';

type WebhookHandlers = Pick<
  Handlers,
  | 'createWebhook'
  | 'getWebhooks'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhook'
  | 'testWebhook'
  | 'getWebhookDeliveries'
  | 'replayWebhook'
>;

interface WebhookHandlerParts {
  readonly store: WebhookStore;
  readonly market: MarketParts;
  readonly sender: WebhookSender;
  readonly peppers: Peppers;
  readonly tiers: Tiers;
  readonly allowsPrivate: boolean;
  readonly lookup: LookupFunction;
  readonly clock: Clock;
}

const HOUR_MS = 3_600_000;
/** Of two owners' changes at once, and of those of the sender. */
const WRITES_MAX = 10;
const BATCH_DEFAULT = { maxEvents: 100, maxMs: 0 };

type SettingsInput = Pick<
  InputOf<typeof updateWebhook>,
  'url' | 'events' | 'tokens' | 'chains' | 'wallets' | 'finality' | 'batch'
>;

const TOKEN_EVENTS = ['trade', 'price', 'holders'] as const;
const NEWS_EVENTS = ['pool', 'launch', 'graduation', 'alert'] as const;

function fault(path: string, message: string): AppError {
  return buildInvalidInputError([{ path, message }]);
}

/** What is consistent in itself. */
function checkSettings(settings: WebhookSettings, allowsPrivate: boolean): void {
  const { events, tokens, chains, wallets, finality } = settings;
  const has = (names: readonly (typeof events)[number][]) =>
    names.find((one) => events.includes(one));
  const targetFault = findTargetFault(settings.url, allowsPrivate);
  if (targetFault !== null) throw fault('url', targetFault);
  const ofTokens = has(TOKEN_EVENTS);
  if (ofTokens !== undefined && tokens.length === 0)
    throw fault('tokens', `is needed for ${ofTokens}`);
  const ofChains = has(NEWS_EVENTS);
  if (ofChains !== undefined && chains.length === 0)
    throw fault('chains', `is needed for ${ofChains}`);
  const state = has(['price', 'holders']);
  if (finality === 'final' && state !== undefined) {
    throw fault('finality', `must be head for ${state}, which is of the last block`);
  }
  if (wallets.length > 0 && !events.includes('trade'))
    throw fault('wallets', 'needs the event trade');
}

async function parseSettings(
  { market, tiers, allowsPrivate, lookup }: WebhookHandlerParts,
  of: { readonly input: SettingsInput; readonly before: WebhookSettings | null },
  context: HandlerContext,
): Promise<WebhookSettings> {
  const { input, before } = of;
  const given = input.tokens?.map((one, index) => parseToken(market, one, `tokens.${index}.`));
  const cap = findTier(tiers, context.identity).depth.streamTokens;
  if ((given?.length ?? 0) > cap) throw fault('tokens', `must have at most ${cap} entries`);
  const unique = given && [
    ...new Map(given.map((one) => [`${one.chain} ${one.token}`, one])).values(),
  ];
  const tokens = unique?.map(({ chain, token }) => ({ chain, token })) ?? before?.tokens ?? [];
  const chains = input.chains?.map((one, index) =>
    parseFollowedChain(market.chains, one, `chains.${index}`),
  );
  const events = [...new Set(input.events ?? before?.events ?? [])];
  const hasNews = NEWS_EVENTS.some((one) => events.includes(one));
  // News without a chain are those of the tokens' chains, alerts those of all.
  const every = events.includes('alert') ? market.chains.list() : tokens.map(({ chain }) => chain);
  const ownChains = before?.chains.length ? before.chains : hasNews ? every : [];
  const settings: WebhookSettings = {
    url: input.url ?? before?.url ?? '',
    events,
    tokens,
    chains: [...new Set(chains ?? ownChains)],
    wallets: input.wallets?.map((one) => parseWallet(market, tokens, one)) ?? before?.wallets ?? [],
    finality: input.finality ?? before?.finality ?? 'head',
    batch: { ...BATCH_DEFAULT, ...before?.batch, ...input.batch },
  };
  checkSettings(settings, allowsPrivate);
  const isNewTarget = settings.url !== before?.url;
  const refusal = isNewTarget ? await findHostFault(settings.url, lookup) : null;
  if (refusal !== null) throw fault('url', refusal);
  for (const reference of unique ?? []) {
    await withLookup(market, { reference, context }, async () => {
      const rows = await market.store.readTokens(reference.chain, [reference.token]);
      if (rows.length === 0) throw buildTokenNotFoundError(reference);
    });
  }
  return settings;
}

/** As an address of one of the tokens' chains. */
function parseWallet(market: MarketParts, tokens: WebhookSettings['tokens'], text: string) {
  const chains = [...new Set(tokens.map(({ chain }) => chain))];
  for (const chain of chains) {
    const address = market.chains.findAddresses(chain).parse(text);
    if (address !== null) return address;
  }
  const [chain] = chains;
  if (chain === undefined) throw fault('wallets', 'needs tokens');
  const addresses = market.chains.findAddresses(chain);
  return parseAddress(addresses, { chain, text, field: 'wallets' });
}

/** A position for each chain: the one there is, or the end of the feed. */
async function fillCursor(
  { sender }: WebhookHandlerParts,
  settings: WebhookSettings,
  before: WebhookCursor,
): Promise<WebhookCursor> {
  const fill = async (kind: keyof WebhookCursor, chains: readonly ChainSlug[]) => {
    const points = chains.map(async (chain) => {
      const known = before[kind][chain];
      if (known !== undefined) return [chain, known] as const;
      const tip = await sender.readTip(chain);
      if (tip === null) throw buildNotReadyError(chain);
      const isFinal = kind === 'tokens' && settings.finality === 'final';
      return [chain, isFinal ? tip.final : tip[kind]] as const;
    });
    return Object.fromEntries(await Promise.all(points));
  };
  const ofTokens = [...new Set(settings.tokens.map(({ chain }) => chain))];
  return { tokens: await fill('tokens', ofTokens), news: await fill('news', settings.chains) };
}

function toAnswer(record: WebhookRecord, market: MarketParts): OutputOf<typeof getWebhook> {
  const { settings, progress } = record;
  const { finality, batch, url } = settings;
  const show = (chain: ChainSlug) => market.chains.findAddresses(chain);
  const [first] = settings.tokens;
  return {
    webhookId: record.id,
    ...{ url, finality, batch },
    events: [...settings.events],
    tokens: settings.tokens.map(({ chain, token }) => ({
      chain,
      mint: show(chain).toShown(token),
    })),
    chains: [...settings.chains],
    wallets: settings.wallets.map((one) => (first ? show(first.chain).toShown(one) : one)),
    status: record.status,
    disabledReason: record.disabledReason,
    publicKey: record.publicKey,
    bothSecretsUntil: record.rotatedUntilMs,
    createdAt: record.createdAtMs,
    updatedAt: record.updatedAtMs,
    lastDeliveryAt: progress.lastSuccessAtMs,
    failingSince: progress.failingSinceMs,
    nextAttemptAt: record.status === 'active' ? progress.nextAttemptAtMs : null,
    lastError: progress.lastError,
    cursor: encodeCursorId(market.chains, settings, progress.cursor),
    isReplaying: progress.replay !== null,
  };
}

function toDeliveryAnswer(delivery: WebhookDelivery) {
  const { eventId, status, isTest, attempt, events, tookMs, httpStatus, answer, error } = delivery;
  return {
    deliveryId: `${delivery.atMs}-${delivery.id}`,
    ...{ eventId, status, isTest, attempt, events, tookMs, httpStatus, answer, error },
    at: delivery.atMs,
  };
}

const CURSOR = /^(\d{1,16})-([0-9a-f]{1,32})$/;

function parseDeliveriesCursor(text: string | undefined) {
  if (text === undefined) return null;
  const [, atMs, id = ''] = CURSOR.exec(text) ?? [];
  if (atMs === undefined) throw new AppError('INVALID_CURSOR', {});
  return { atMs: Number(atMs), id };
}

export function createWebhookHandlers(parts: WebhookHandlerParts): WebhookHandlers {
  const { store, market, sender, peppers, tiers, clock } = parts;

  async function requireWebhook(id: string, context: HandlerContext): Promise<WebhookRecord> {
    const walletId = requireWallet(context.identity);
    const record = await store.find(id);
    if (record?.walletId !== walletId) throw new AppError('WEBHOOK_NOT_FOUND', {});
    return record;
  }

  /** Somebody else may change it at the same time: then it is read again. */
  async function change(
    id: string,
    context: HandlerContext,
    decide: (record: WebhookRecord) => Promise<WebhookRecord>,
  ): Promise<WebhookRecord> {
    for (let attempt = 0; attempt < WRITES_MAX; attempt += 1) {
      const before = await requireWebhook(id, context);
      const decided = await decide(before);
      const revision = before.revision + 1;
      const record = { ...decided, revision, updatedAtMs: clock.nowMs() };
      const { progress } = record;
      if (progress !== before.progress) {
        const next = { ...progress, step: before.progress.step + 1 };
        const pending = progress.isPending ? undefined : null;
        const step = { id, progress: next, pending, delivery: null, disabledReason: null };
        if (!(await store.saveSteps([step])).has(id)) continue;
      }
      if (!(await store.saveSettings(record))) continue;
      await sender.changed(id);
      return record;
    }
    throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
  }

  async function create(input: InputOf<typeof createWebhook>, context: HandlerContext) {
    const walletId = requireWallet(context.identity);
    const settings = await parseSettings(parts, { input, before: null }, context);
    const { secret, ...keys } = createSecrets(peppers, null);
    const nowMs = clock.nowMs();
    const record: WebhookRecord = {
      ...{ id: `wh_${createNonce()}`, walletId, settings, ...keys },
      ...{ rotatedUntilMs: null, status: 'active', disabledReason: null, revision: 1 },
      ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
      progress: {
        step: 0,
        cursor: await fillCursor(parts, settings, { tokens: {}, news: {} }),
        ...{ isPending: false, replay: null, failures: 0, failingSinceMs: null },
        ...{ nextAttemptAtMs: null, lastError: null, lastSuccessAtMs: null },
      },
    };
    const limit = findTier(tiers, context.identity).depth.webhooks;
    if (!(await store.create(record, limit)))
      throw new AppError('WEBHOOK_LIMIT_REACHED', { limit });
    await sender.changed(record.id);
    return { ...toAnswer(record, market), secret };
  }

  /** As if it had never failed. */
  const recover = ({ progress }: WebhookRecord) => ({
    ...progress,
    ...{ failures: 0, failingSinceMs: null, nextAttemptAtMs: null },
  });

  async function update(input: InputOf<typeof updateWebhook>, context: HandlerContext) {
    const { id, status, ...given } = input;
    const record = await change(id, context, async (before) => {
      const settings = await parseSettings(
        parts,
        { input: given, before: before.settings },
        context,
      );
      const cursor = await fillCursor(parts, settings, before.progress.cursor);
      const isSame = JSON.stringify(cursor) === JSON.stringify(before.progress.cursor);
      const isRevived = status === 'active' && before.status !== 'active';
      const progress = isRevived ? recover(before) : before.progress;
      return {
        ...before,
        settings,
        status: status ?? before.status,
        disabledReason: status === undefined ? before.disabledReason : null,
        progress: isSame ? progress : { ...progress, cursor },
      };
    });
    return toAnswer(record, market);
  }

  async function replay(input: InputOf<typeof replayWebhook>, context: HandlerContext) {
    const { id, fromEventId, fromTime, to } = input;
    if ((fromEventId === undefined) === (fromTime === undefined)) {
      throw fault('fromEventId', 'or fromTime must be given, and not both');
    }
    const record = await change(id, context, async (before) => {
      const { settings, progress } = before;
      const cursor =
        fromEventId === undefined
          ? await findReplayStart(market, {
              settings,
              cursor: progress.cursor,
              timeMs: fromTime ?? 0,
            })
          : parseCursorId(market.chains, settings, { cursor: progress.cursor, text: fromEventId });
      if (cursor === null) throw fault('fromEventId', 'is not an event of this webhook');
      const goesOn = progress.replay?.cursor ?? progress.cursor;
      return {
        ...before,
        progress: {
          ...recover(before),
          ...{ cursor, isPending: false, lastError: null },
          replay: to === undefined ? null : { untilMs: to, cursor: goesOn },
        },
      };
    });
    return toAnswer(record, market);
  }

  async function listDeliveries(
    input: InputOf<typeof getWebhookDeliveries>,
    context: HandlerContext,
  ) {
    const { id, status = null, limit } = input;
    await requireWebhook(id, context);
    const after = parseDeliveriesCursor(input.cursor);
    const rows = await store.readDeliveries(id, { status, after, limit: limit + 1 });
    const deliveries = rows.slice(0, limit).map(toDeliveryAnswer);
    const hasMore = rows.length > limit;
    return { deliveries, nextCursor: hasMore ? (deliveries.at(-1)?.deliveryId ?? null) : null };
  }

  return {
    createWebhook: create,
    getWebhooks: async (_input, { identity }) => ({
      webhooks: (await store.list(requireWallet(identity))).map((one) => toAnswer(one, market)),
      limit: findTier(tiers, identity).depth.webhooks,
    }),
    getWebhook: async ({ id }, context) => toAnswer(await requireWebhook(id, context), market),
    updateWebhook: update,
    deleteWebhook: async ({ id }, context) => {
      const record = await requireWebhook(id, context);
      await store.delete(id);
      await sender.changed(id);
      return toAnswer(record, market);
    },
    rotateWebhook: async ({ id }, context) => {
      let secret = '';
      const record = await change(id, context, async (before) => {
        const nowMs = clock.nowMs();
        const leftMs = (before.rotatedUntilMs ?? 0) - nowMs;
        if (leftMs > 0)
          throw new AppError('WEBHOOK_ROTATING', { hours: Math.ceil(leftMs / HOUR_MS) });
        const { secret: shown, ...keys } = createSecrets(peppers, before.secrets);
        secret = shown;
        return { ...before, ...keys, rotatedUntilMs: nowMs + ROTATION_MS };
      });
      return { ...toAnswer(record, market), secret };
    },
    testWebhook: async ({ id }, context) => {
      const record = await requireWebhook(id, context);
      const delivery = await sender.sendTest(record);
      const isWaiting = record.status === 'active' && record.progress.nextAttemptAtMs !== null;
      if (delivery.status === 'delivered' && isWaiting) {
        await change(id, context, async (before) => ({
          ...before,
          progress: { ...before.progress, nextAttemptAtMs: null },
        }));
      }
      return toDeliveryAnswer(delivery);
    },
    getWebhookDeliveries: listDeliveries,
    replayWebhook: replay,
  };
}
