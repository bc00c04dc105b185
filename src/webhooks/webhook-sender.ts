// Sends the events of webhooks, in order for each, while this process holds their lease.
//
// A webhook is a reader of the feed; its position is in the store and moves when the receiver
// acknowledges. Nothing is queued for a receiver but one delivery: what comes meanwhile is in the
// feed. A delivery is stored before it is sent, and then sent until the receiver takes it or the
// webhook is disabled: a receiver may have taken what it did not acknowledge, and must then be told
// if a reorganisation takes that back.

import { randomBytes } from 'node:crypto';
import type { Peppers } from '../access/peppers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random, Sleep } from '../lib/retry.ts';
import { startPolling } from '../lib/start-polling.ts';
import { WorkSlots } from '../lib/work-slots.ts';
import type { MarketParts } from '../market/market-parts.ts';
import type { StateChange } from '../market/state/chain-states.ts';
import { toNewsTip } from '../market/stream/news-point.ts';
import { toBlockEnd, toTip } from '../market/stream/stream-point.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type {
  PendingDelivery,
  WebhookDelivery,
  WebhookProgress,
  WebhookRecord,
} from '../model/webhook.ts';
import type { ChainLease, LeaseStore, SignalStore } from '../store/feed-store.ts';
import type { WebhookStep, WebhookStore } from '../store/webhook-store.ts';
import type { FeedReader } from './feed-reader.ts';
import { type AttemptOutcome, findHost, type SendDelivery } from './send-delivery.ts';
import { WebhookSigner } from './signing.ts';
import {
  type FeedAccess,
  type FeedTip,
  fromNewsPoint,
  fromTokenPoint,
  WebhookFeed,
} from './webhook-feed.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Waits before the second and later attempts: the example of Standard Webhooks, 75 h 35 min. */
const WAITS_MS = [5 * SECOND, 300 * SECOND, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR].concat([
  ...[14 * HOUR, 20 * HOUR, 24 * HOUR],
]);
/** A receiver that fails for less than this is never disabled. */
const FAILING_MAX_MS = 75 * HOUR;
/** Longer, never shorter: the last attempt must come after 75 hours. */
const JITTER = 0.05;
/** Of what a receiver asks for by `Retry-After`. */
const RETRY_AFTER_MAX_MS = 24 * HOUR;
/** These ask for less; an attempt after 5 seconds would not help. */
const SLOW_DOWN: readonly number[] = [429, 502, 504];
const SLOW_DOWN_MS = 30 * SECOND;
const GONE = 410;

/** When a failed delivery is sent again; null if the webhook is to be disabled. */
export function planRetry(
  failed: {
    /** This one included. */
    readonly failures: number;
    readonly sinceMs: number;
    readonly nowMs: number;
    readonly httpStatus: number | null;
    readonly retryAfterMs: number | null;
  },
  random: Random,
): number | null {
  const { failures, sinceMs, nowMs, httpStatus } = failed;
  const wait = WAITS_MS[failures - 1];
  if (wait === undefined && nowMs - sinceMs >= FAILING_MAX_MS) return null;
  const least = SLOW_DOWN.includes(httpStatus ?? 0) ? SLOW_DOWN_MS : 0;
  const asked = Math.min(failed.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  const planned = (wait ?? HOUR) * (1 + JITTER * random());
  return nowMs + Math.round(Math.max(planned, least, asked));
}

/** A webhook has at most one attempt under way, and as many as these a second. */
const INTERVAL_MS = 100;
const ATTEMPTS_MAX = 200;
const ATTEMPTS_PER_HOST_MAX = 20;
/** After so many deliveries others have a turn. */
const TURN_DELIVERIES = 20;
const ERROR_WAIT_MS = 1000;
/** A position that does not move is stored so often, since the feed forgets old ones. */
const QUIET_SAVE_MS = HOUR;
const RELOAD_MS = 10 * SECOND;
const RENEW_MS = 500;
const LOOK_MS = 250;
const REPORTED_WAIT_MS = 2000;
const KEPT_DELIVERIES = 1000;
const PRUNE_EVERY = 100;
const ROLLBACKS_MAX = 5000;

/** Not the name of a chain: names of chains have no dot. */
const LEASE = 'webhooks' as ChainSlug;
const WEBHOOK_SIGNAL = 'mintwire_webhooks';

interface Sending {
  record: WebhookRecord;
  readonly feed: WebhookFeed;
  readonly signer: WebhookSigner;
  /** Nothing is sent before. */
  waitUntilMs: number;
  savedAtMs: number;
  deliveries: number;
}

interface WebhookSenderOptions {
  readonly store: WebhookStore;
  readonly leases: LeaseStore | null;
  readonly signals: SignalStore | null;
  /** The name of this process among those on the store. */
  readonly node: string;
  readonly leaseMs: number;
  readonly parts: Pick<MarketParts, 'store' | 'chains' | 'states' | 'pauses'>;
  readonly reader: FeedReader;
  readonly peppers: Peppers;
  readonly send: SendDelivery;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly tickMs: number;
  readonly onError: (error: unknown) => void;
}

interface SenderCounts {
  delivered: number;
  failed: number;
  disabled: number;
}

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #sendings = new Map<string, Sending>();
  readonly #slots = new WorkSlots({ countMax: ATTEMPTS_MAX });
  readonly #hosts = new Map<string, number>();
  /** Webhooks with a turn under way, also if they were read again meanwhile. */
  readonly #busy = new Set<string>();
  readonly #access: FeedAccess;
  readonly #epochs = new Map<ChainSlug, Promise<string | null>>();
  readonly #last = new Map<ChainSlug, Checkpoint>();
  readonly #ends: (() => unknown)[] = [];
  readonly #running = new Set<Promise<void>>();
  #saves: {
    readonly step: WebhookStep;
    readonly done: (isSaved: boolean) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  #isSaving = false;
  #tenure: AbortController | null = null;
  readonly #stop = new AbortController();
  #reloadedAtMs = 0;
  readonly counts: SenderCounts = { delivered: 0, failed: 0, disabled: 0 };

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { parts, reader } = options;
    this.#access = {
      reader,
      findAddresses: (chain) => parts.chains.findAddresses(chain),
      findEpoch: (chain) => this.#findEpoch(chain),
      readTip: (chain) => this.readTip(chain),
      isPaused: (chain, token) => parts.pauses.isPaused(chain, token),
      untilReported: (chain, version) => this.#untilReported(chain, version),
    };
  }

  /** Whether this process sends. */
  get isSending(): boolean {
    return this.#tenure !== null;
  }

  get count(): number {
    return this.#sendings.size;
  }

  get attempts(): number {
    return [...this.#hosts.values()].reduce((sum, one) => sum + one, 0);
  }

  start(): void {
    const { leases, parts, signals, tickMs, onError } = this.#options;
    this.#ends.push(parts.states.subscribe((change) => this.#onChange(change)));
    if (signals !== null) {
      this.#ends.push(signals.listen(WEBHOOK_SIGNAL, (id) => void this.#reloadOne(id)));
    }
    this.#ends.push(startPolling(() => this.#tick(), { everyMs: tickMs, onError }));
    this.#track(leases === null ? this.#begin() : this.#runInTurns(leases));
  }

  /** What is under way is cut off: it is sent again by whoever goes on. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#tenure?.abort();
    for (const end of this.#ends) await end();
    await Promise.all(this.#running);
    this.#sendings.clear();
  }

  /** A webhook was changed by its owner, here. */
  async changed(id: string): Promise<void> {
    const { signals } = this.#options;
    await this.#reloadOne(id);
    await signals?.send(WEBHOOK_SIGNAL, id).catch(this.#options.onError);
  }

  /** The end of a chain's feed; null while it has none. */
  async readTip(chain: ChainSlug): Promise<FeedTip | null> {
    const { store, states } = this.#options.parts;
    const checkpoint = states.current(chain);
    const epoch = await store.readEpoch(chain);
    if (checkpoint === null || epoch === null) return null;
    const afterVersion = epoch.forgottenVersion;
    const rollbacks = await store.readRollbacks(chain, { afterVersion, limit: ROLLBACKS_MAX });
    // That of the last reorganisation: all webhooks have the same, so they share what is read.
    const version = rollbacks.at(-1)?.version ?? afterVersion;
    const { position } = toTip(checkpoint);
    const { finalizedBlock: block, timestampMs } = checkpoint;
    return {
      tokens: fromTokenPoint(epoch.epoch, { version, position }),
      news: fromNewsPoint(epoch.epoch, toNewsTip(checkpoint)),
      final: fromTokenPoint(epoch.epoch, {
        ...{ version, position: toBlockEnd({ block, timestampMs }) },
      }),
      timeMs: checkpoint.timestampMs,
    };
  }

  /** Sends a body now, outside the order. */
  async sendTest(record: WebhookRecord): Promise<WebhookDelivery> {
    const { clock, peppers, store } = this.#options;
    const nowMs = clock.nowMs();
    const id = `test_${randomBytes(12).toString('hex')}`;
    const timestamp = new Date(nowMs).toISOString();
    const body = JSON.stringify({
      ...{ type: 'test', timestamp, webhookId: record.id, cursor: null, data: { events: [] } },
    });
    const signer = new WebhookSigner(peppers, record);
    const { delivery } = await this.#attempt(
      { record, signer },
      { ...{ id, body, events: 0 }, attempt: 1, isTest: true, signal: this.#stop.signal },
    );
    await store.addDelivery(delivery);
    return delivery;
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch(this.#options.onError).finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  // The lease.

  async #runInTurns(leases: LeaseStore): Promise<void> {
    const { node: holder, leaseMs: lifeMs } = this.#options;
    while (!this.#stop.signal.aborted) {
      const lease = await leases.take(LEASE, { holder, lifeMs }).catch(() => null);
      if (lease === null) {
        await this.#rest(LOOK_MS);
        continue;
      }
      await this.#begin().catch(this.#options.onError);
      await this.#hold(leases, lease);
      this.#end();
      await leases.release(lease).catch(() => undefined);
    }
  }

  async #hold(leases: LeaseStore, lease: ChainLease): Promise<void> {
    const { clock, leaseMs: lifeMs } = this.#options;
    let heldUntilMs = clock.monotonicMs() + lifeMs;
    while (!this.#stop.signal.aborted) {
      await this.#rest(Math.min(RENEW_MS, lifeMs / 3));
      const askedAtMs = clock.monotonicMs();
      const isHeld = await leases.renew(lease, { lifeMs, report: '{}' }).catch(() => null);
      if (isHeld === true) heldUntilMs = askedAtMs + lifeMs;
      // Without an answer another process may have taken it by now.
      else if (isHeld === false || clock.monotonicMs() >= heldUntilMs) return;
    }
  }

  async #rest(ms: number): Promise<void> {
    await this.#options.sleep(ms, this.#stop.signal).catch(() => undefined);
  }

  async #begin(): Promise<void> {
    this.#tenure = new AbortController();
    this.#reloadedAtMs = Number.NEGATIVE_INFINITY;
    await this.#reload();
  }

  #end(): void {
    this.#tenure?.abort();
    this.#tenure = null;
    this.#sendings.clear();
  }

  // Which webhooks there are.

  /** What this process was not told of, because a signal was lost. */
  async #reload(): Promise<void> {
    const { store, clock } = this.#options;
    this.#reloadedAtMs = clock.monotonicMs();
    const stored = new Map((await store.listRevisions()).map(({ id, revision }) => [id, revision]));
    for (const id of this.#sendings.keys()) if (!stored.has(id)) this.#sendings.delete(id);
    const changed = [...stored].filter(
      ([id, revision]) => this.#sendings.get(id)?.record.revision !== revision,
    );
    for (const record of await store.readMany(changed.map(([id]) => id))) this.#put(record);
  }

  async #reloadOne(id: string): Promise<void> {
    if (this.#tenure === null) return;
    try {
      const record = await this.#options.store.find(id);
      if (record === null) this.#sendings.delete(id);
      else this.#put(record);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #put(record: WebhookRecord): void {
    const { clock, peppers } = this.#options;
    const known = this.#sendings.get(record.id);
    if (known !== undefined && known.record.revision > record.revision) return;
    try {
      this.#sendings.set(record.id, {
        record,
        feed: new WebhookFeed(this.#access, record, record.progress.cursor),
        signer: new WebhookSigner(peppers, record),
        waitUntilMs: record.progress.nextAttemptAtMs ?? 0,
        savedAtMs: clock.nowMs(),
        deliveries: 0,
      });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  // What happens on the chains.

  #findEpoch(chain: ChainSlug): Promise<string | null> {
    const known = this.#epochs.get(chain);
    if (known !== undefined) return known;
    const read = this.#options.parts.store.readEpoch(chain).then((row) => row?.epoch ?? null);
    this.#epochs.set(chain, read);
    const forget = () => {
      if (this.#epochs.get(chain) === read) this.#epochs.delete(chain);
    };
    read.then((epoch) => epoch === null && forget(), forget);
    return read;
  }

  async #untilReported(chain: ChainSlug, version: number): Promise<boolean> {
    const { states } = this.#options.parts;
    const { clock, sleep } = this.#options;
    const endMs = clock.monotonicMs() + REPORTED_WAIT_MS;
    while ((states.current(chain)?.version ?? 0) < version) {
      if (clock.monotonicMs() >= endMs || this.#stop.signal.aborted) return false;
      await sleep(5);
    }
    return true;
  }

  #onChange({ chain, checkpoint, tokens, listed, batch, jump }: StateChange): void {
    if (jump !== 'none') this.#epochs.delete(chain);
    const before = this.#last.get(chain) ?? null;
    this.#last.set(chain, checkpoint);
    if (this.#tenure === null) return;
    const isNext = before !== null && checkpoint.version === before.version + 1;
    const isUsual = isNext && batch !== null && !batch.isRollback;
    const change = {
      chain,
      tokens: isUsual && tokens !== 'all' ? new Set(tokens) : null,
      hasNews: !isUsual || listed.length > 0,
      isFinalized: checkpoint.finalizedBlock !== before?.finalizedBlock,
      before,
    };
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    for (const sending of this.#sendings.values()) {
      const wasDirty = sending.feed.isDirty;
      if (!sending.feed.note(change)) continue;
      const { maxMs } = sending.record.settings.batch;
      // Others may come to be sent with it.
      if (!wasDirty && maxMs > 0) {
        sending.waitUntilMs = Math.max(sending.waitUntilMs, nowMs + maxMs);
      }
      this.#wake(sending);
    }
  }

  // Sending.

  async #tick(): Promise<void> {
    if (this.#tenure === null) return;
    const { clock } = this.#options;
    if (clock.monotonicMs() - this.#reloadedAtMs >= RELOAD_MS) await this.#reload();
    for (const sending of this.#sendings.values()) this.#wake(sending);
  }

  #wake(sending: Sending): void {
    const { record, feed } = sending;
    const tenure = this.#tenure;
    if (this.#busy.has(record.id) || record.status !== 'active' || tenure === null) return;
    const nowMs = this.#options.clock.nowMs();
    if (nowMs < sending.waitUntilMs) return;
    const isQuiet = !feed.isDirty && !record.progress.isPending;
    if (isQuiet && record.progress.replay === null && nowMs - sending.savedAtMs < QUIET_SAVE_MS)
      return;
    const host = findHost(record.settings.url);
    const attempts = this.#hosts.get(host) ?? 0;
    if (attempts >= ATTEMPTS_PER_HOST_MAX) return;
    this.#hosts.set(host, attempts + 1);
    this.#busy.add(record.id);
    const work = this.#slots.run(() => this.#sendTurn(sending, tenure.signal));
    this.#track(
      work
        .catch((error: unknown) => {
          sending.waitUntilMs = this.#options.clock.nowMs() + ERROR_WAIT_MS;
          if (!tenure.signal.aborted) this.#options.onError(error);
        })
        .finally(async () => {
          // What was read again during the turn does not know how it ended.
          const current = this.#sendings.get(record.id);
          if (current !== undefined && current !== sending) await this.#reloadOne(record.id);
          this.#busy.delete(record.id);
          const left = (this.#hosts.get(host) ?? 1) - 1;
          if (left === 0) this.#hosts.delete(host);
          else this.#hosts.set(host, left);
        }),
    );
  }

  /** Several deliveries; then others have a turn. */
  async #sendTurn(sending: Sending, signal: AbortSignal): Promise<void> {
    for (let count = 0; count < TURN_DELIVERIES; count += 1) {
      const isCurrent = this.#sendings.get(sending.record.id) === sending;
      if (signal.aborted || !isCurrent) return;
      if (this.#options.clock.nowMs() < sending.waitUntilMs) return;
      if (!(await this.#sendNext(sending, signal))) return;
    }
  }

  /** False if there is nothing more to send now. */
  async #sendNext(sending: Sending, signal: AbortSignal): Promise<boolean> {
    const { store, clock } = this.#options;
    const { progress } = sending.record;
    if (progress.isPending) {
      const pending = await store.readPending(sending.record.id);
      if (pending !== null) return this.#deliver(sending, { delivery: pending, signal });
    }
    const next = await sending.feed.next(progress.replay?.untilMs ?? null);
    if (next !== null) {
      const { commit, ...delivery } = next;
      const noted = { ...progress, isPending: true };
      if (!(await this.#save(sending, { progress: noted, pending: delivery }))) return false;
      return this.#deliver(sending, { delivery, commit, signal });
    }
    if (progress.replay !== null && !sending.feed.isDirty) {
      const { cursor } = progress.replay;
      if (await this.#save(sending, { progress: { ...progress, cursor, replay: null } })) {
        sending.feed.seek(cursor);
      }
      return true;
    }
    if (clock.nowMs() - sending.savedAtMs >= QUIET_SAVE_MS) {
      await this.#save(sending, { progress: { ...progress, cursor: sending.feed.cursor } });
    }
    return false;
  }

  async #deliver(
    sending: Sending,
    of: {
      readonly delivery: PendingDelivery;
      readonly commit?: () => void;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { id, body, events } = of.delivery;
    const { progress } = sending.record;
    const attempt = progress.failures + 1;
    const made = await this.#attempt(sending, {
      id,
      body,
      events,
      attempt,
      isTest: false,
      signal: of.signal,
    });
    // Who goes on does not know how this ended, and sends it again.
    if (of.signal.aborted) return false;
    return made.outcome.isDelivered
      ? this.#onDelivered(sending, { ...of, made: made.delivery })
      : this.#onFailed(sending, { ...of, made: made.delivery, outcome: made.outcome });
  }

  async #onDelivered(
    sending: Sending,
    of: {
      readonly delivery: PendingDelivery;
      readonly commit?: () => void;
      readonly made: WebhookDelivery;
    },
  ): Promise<boolean> {
    const { clock, store, onError } = this.#options;
    const { progress, id, settings } = sending.record;
    const { maxEvents } = settings.batch;
    this.counts.delivered += 1;
    const cursor = {
      tokens: { ...progress.cursor.tokens, ...of.delivery.cursor.tokens },
      news: { ...progress.cursor.news, ...of.delivery.cursor.news },
    };
    const success = { failures: 0, failingSinceMs: null, nextAttemptAtMs: null, lastError: null };
    const isSaved = await this.#save(sending, {
      progress: {
        ...progress,
        ...success,
        cursor,
        isPending: false,
        lastSuccessAtMs: clock.nowMs(),
      },
      delivery: of.made,
    });
    if (!isSaved) return false;
    if (of.commit === undefined) sending.feed.seek(cursor);
    else of.commit();
    const soonMs = clock.nowMs() + INTERVAL_MS;
    // After a full delivery more events wait already. Those that came while the last ones were on
    // their way may wait for others, which is longer.
    const isLast = of.commit !== undefined && of.delivery.events < maxEvents;
    sending.waitUntilMs = isLast ? Math.max(sending.waitUntilMs, soonMs) : soonMs;
    sending.deliveries += 1;
    if (sending.deliveries % PRUNE_EVERY === 0) {
      await store.pruneDeliveries(id, KEPT_DELIVERIES).catch(onError);
    }
    return true;
  }

  async #onFailed(
    sending: Sending,
    of: {
      readonly delivery: PendingDelivery;
      readonly made: WebhookDelivery;
      readonly outcome: AttemptOutcome;
    },
  ): Promise<boolean> {
    const { clock, random } = this.#options;
    const { progress } = sending.record;
    this.counts.failed += 1;
    const { httpStatus, retryAfterMs, error } = of.outcome;
    const nowMs = clock.nowMs();
    const failures = progress.failures + 1;
    const sinceMs = progress.failingSinceMs ?? nowMs;
    const isGone = httpStatus === GONE;
    const next = isGone
      ? null
      : planRetry({ failures, sinceMs, nowMs, httpStatus, retryAfterMs }, random);
    const hours = Math.floor((nowMs - sinceMs) / HOUR);
    const reason = isGone
      ? 'The receiver answered 410 Gone.'
      : `Every attempt has failed for ${hours} hours; the last: ${error}.`;
    if (next === null) this.counts.disabled += 1;
    const isSaved = await this.#save(sending, {
      progress: {
        ...progress,
        ...{ failures, failingSinceMs: sinceMs, nextAttemptAtMs: next, lastError: error },
      },
      delivery: of.made,
      disabledReason: next === null ? reason : null,
    });
    if (isSaved && next === null) await this.#reloadOne(sending.record.id);
    sending.waitUntilMs = next ?? nowMs + ERROR_WAIT_MS;
    return false;
  }

  async #attempt(
    { record, signer }: Pick<Sending, 'record' | 'signer'>,
    of: {
      readonly id: string;
      readonly body: string;
      readonly events: number;
      readonly attempt: number;
      readonly isTest: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<{ readonly outcome: AttemptOutcome; readonly delivery: WebhookDelivery }> {
    const { clock, send } = this.#options;
    const { id, body, events, attempt, isTest, signal } = of;
    const atMs = clock.nowMs();
    const startedMs = clock.monotonicMs();
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Mintwire-Webhooks/1',
      ...signer.sign(id, body, atMs),
    };
    const outcome = await send({ url: record.settings.url, headers, body, signal });
    const { isDelivered, httpStatus, answer, error } = outcome;
    return {
      outcome,
      delivery: {
        ...{ webhookId: record.id, atMs, id: randomBytes(6).toString('hex'), eventId: id },
        status: isDelivered ? 'delivered' : 'failed',
        ...{ isTest, attempt, events, httpStatus, answer, error },
        tookMs: Math.round(clock.monotonicMs() - startedMs),
      },
    };
  }

  // What is stored: of many webhooks in one transaction.

  /** False if somebody else has moved the webhook: then it is read again. */
  async #save(
    sending: Sending,
    step: Partial<WebhookStep> & { readonly progress: WebhookProgress },
  ): Promise<boolean> {
    const { id } = sending.record;
    const progress = { ...step.progress, step: sending.record.progress.step + 1 };
    const whole = {
      pending: undefined,
      delivery: null,
      disabledReason: null,
      ...step,
      id,
      progress,
    };
    const isSaved = await new Promise<boolean>((done, fail) => {
      this.#saves.push({ step: whole, done, fail });
      if (!this.#isSaving) this.#track(this.#flush());
    });
    if (isSaved) {
      sending.record = { ...sending.record, progress };
      sending.savedAtMs = this.#options.clock.nowMs();
    } else await this.#reloadOne(id);
    return isSaved;
  }

  async #flush(): Promise<void> {
    this.#isSaving = true;
    try {
      while (this.#saves.length > 0) {
        const saves = this.#saves;
        this.#saves = [];
        try {
          const saved = await this.#options.store.saveSteps(saves.map(({ step }) => step));
          for (const { step, done } of saves) done(saved.has(step.id));
        } catch (error) {
          for (const { fail } of saves) fail(error);
        }
        // Others that end meanwhile are stored together.
        await this.#options.sleep(SAVE_PAUSE_MS);
      }
    } finally {
      this.#isSaving = false;
    }
  }
}

/** A commit of the embedded store blocks the event loop for as long as the disk takes. */
const SAVE_PAUSE_MS = 20;
