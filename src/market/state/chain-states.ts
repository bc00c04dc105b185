// The last known commit of each chain, and what each commit changed.
//
// The feed updates it; polling the store finds commits that the feed has lost.

import { evictOldest } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { startPolling } from '../../lib/start-polling.ts';
import type { Feed, FeedBatch } from '../../live/feed.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, KeptFrom } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';

/** A commit of a chain. `'all'` if the changed tokens are unknown. */
export interface StateChange {
  readonly chain: ChainSlug;
  readonly checkpoint: Checkpoint;
  readonly tokens: readonly Address[] | 'all';
  /** Of those, the tokens that are new, gone or whose pools changed. */
  readonly listed: readonly Address[] | 'all';
  /** The commit itself, if it follows the last one and is complete. */
  readonly batch: FeedBatch | null;
  /** Found in the store: commits that the feed did not deliver, or another index with its own. */
  readonly jump: 'none' | 'ahead' | 'rebuilt';
}

type StateListener = (change: StateChange) => void;

interface ChainStatesOptions {
  readonly reader: Pick<MarketStore, 'readCheckpoint' | 'readEpoch'>;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly listChains: () => readonly ChainSlug[];
  readonly onError: (error: unknown) => void;
}

/** The poll interval, and how long the feed may be behind the store. */
const POLL_MS = 500;
const FEED_DELAY_MAX_MS = 1000;
/** Half a minute of them: older states are too old for any use. */
const LOOKS_MAX = 64;

/** The version that the store had at a time. */
interface Look {
  readonly version: number;
  /** By the monotonic clock. */
  readonly atMs: number;
}

function isKeptAlike(a: KeptFrom, b: KeptFrom): boolean {
  return a.tradesFromMs === b.tradesFromMs && a.candlesFromMs === b.candlesFromMs;
}

/** Of so many tokens the last change is known; others count as changed by the oldest of these. */
const CHANGED_MAX = 50_000;

/** What the commits of a chain have changed: tells whether something read at one still holds. */
export class ChainCommits {
  /** In the order of their last changes, by version. */
  readonly #changed = new Map<Address, number>();
  /** The version by which all other tokens may have changed. */
  #allChanged = 0;
  #last: Checkpoint | null = null;

  /** The last commit that this process knows; null before the first. */
  get last(): Checkpoint | null {
    return this.#last;
  }

  /** The version of the last commit that may have changed a token or, for null, the chain. */
  findLastChange(token: Address | null): number {
    const all = token === null ? this.#last?.version : this.#changed.get(token);
    return all ?? this.#allChanged;
  }

  add({ checkpoint, tokens }: Pick<StateChange, 'checkpoint' | 'tokens'>): void {
    this.#last = checkpoint;
    const { version } = checkpoint;
    if (tokens === 'all') {
      this.#changed.clear();
      this.#allChanged = version;
      return;
    }
    for (const token of tokens) {
      this.#changed.delete(token);
      this.#changed.set(token, version);
    }
    if (this.#changed.size <= CHANGED_MAX) return;
    evictOldest(this.#changed, CHANGED_MAX - CHANGED_MAX / 16);
    const [oldest = version] = this.#changed.values();
    this.#allChanged = oldest;
  }

  /** The index was begun anew, and its versions start over: nothing holds that was read of it. */
  end(): void {
    this.#last = null;
    this.#changed.clear();
    this.#allChanged = Number.POSITIVE_INFINITY;
  }
}

export class ChainStates {
  readonly #options: ChainStatesOptions;
  readonly #commits = new Map<ChainSlug, ChainCommits>();
  /** Of the last commits known, as far as they were told. */
  readonly #epochs = new Map<ChainSlug, string>();
  readonly #reloads = new Map<ChainSlug, number>();
  readonly #listeners = new Set<StateListener>();
  /** Since when the store has been ahead of the feed. */
  readonly #aheadSince = new Map<ChainSlug, number>();
  /** The last ones first. */
  readonly #looks = new Map<ChainSlug, readonly Look[]>();
  #unsubscribe: (() => void) | null = null;
  #stopPolling: (() => Promise<void>) | null = null;

  constructor(options: ChainStatesOptions) {
    this.#options = options;
  }

  /** The last commit that this process knows; null before the first. */
  current(chain: ChainSlug): Checkpoint | null {
    return this.#commits.get(chain)?.last ?? null;
  }

  commits(chain: ChainSlug): ChainCommits {
    let commits = this.#commits.get(chain);
    if (commits === undefined) {
      commits = new ChainCommits();
      this.#commits.set(chain, commits);
    }
    return commits;
  }

  /** The same by its epoch and version; null while one of them is not known. */
  findAnnounced(chain: ChainSlug): { readonly epoch: string; readonly version: number } | null {
    const [epoch, checkpoint] = [this.#epochs.get(chain), this.current(chain)];
    if (epoch === undefined || checkpoint === null) return null;
    return { epoch, version: checkpoint.version };
  }

  /** How often all that is kept of a chain had to be read again, because commits were missed. */
  countReloads(chain: ChainSlug): number {
    return this.#reloads.get(chain) ?? 0;
  }

  subscribe(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.feed.subscribe({
      onBatch: (batch) => this.#onBatch(batch),
      // A batch after a gap is recognised by its version.
      onGap: () => undefined,
    });
    await this.poll();
    const { onError } = this.#options;
    this.#stopPolling = startPolling(() => this.poll(), { everyMs: POLL_MS, onError });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#stopPolling?.();
  }

  /** How long ago the store had nothing newer than a version; infinite if that is not known. */
  readAgeMs(chain: ChainSlug, version: number): number {
    const look = this.#looks.get(chain)?.find((one) => one.version <= version);
    return look === undefined
      ? Number.POSITIVE_INFINITY
      : this.#options.clock.monotonicMs() - look.atMs;
  }

  /** Compares with the store: finds new chains and lost commits. */
  async poll(): Promise<void> {
    for (const chain of this.#options.listChains()) {
      const atMs = this.#options.clock.monotonicMs();
      const before = this.current(chain);
      const stored = await this.#options.reader.readCheckpoint(chain);
      if (stored === null) continue;
      this.#noteLook(chain, { version: stored.version, atMs });
      await this.#catchUp(chain, stored);
      const isRebuilt = await this.#isRebuilt(chain, before, stored);
      const known = this.current(chain);
      const jump = isRebuilt ? 'rebuilt' : this.#findJump(chain, known, stored);
      if (known !== null && jump === 'none') continue;
      const all = { tokens: 'all', listed: 'all', batch: null, jump } as const;
      this.#step({ chain, checkpoint: stored, ...all }, isRebuilt);
    }
  }

  /** Asks the feed for what it has not delivered, before everything is read again. */
  async #catchUp(chain: ChainSlug, stored: Checkpoint): Promise<void> {
    const { feed, onError } = this.#options;
    const known = this.current(chain);
    if (known !== null && stored.version <= known.version) return;
    await feed.catchUp(chain, known?.version ?? stored.version).catch(onError);
  }

  /**
   * Whether the index was deleted and begun again, or the store went back: no more than was known,
   * in another epoch.
   */
  async #isRebuilt(
    chain: ChainSlug,
    before: Checkpoint | null,
    stored: Checkpoint,
  ): Promise<boolean> {
    if (before !== null && stored.version > before.version) return false;
    const epoch = (await this.#options.reader.readEpoch(chain))?.epoch;
    const known = this.#epochs.get(chain);
    if (epoch === undefined || epoch === known) return false;
    this.#epochs.set(chain, epoch);
    return known !== undefined;
  }

  #noteLook(chain: ChainSlug, look: Look): void {
    const looks = this.#looks.get(chain) ?? [];
    // Of the same version only the last one counts.
    const older = looks[0]?.version === look.version ? looks.slice(1) : looks;
    this.#looks.set(chain, [look, ...older.slice(0, LOOKS_MAX - 1)]);
  }

  #findJump(chain: ChainSlug, known: Checkpoint | null, stored: Checkpoint): 'none' | 'ahead' {
    if (known === null || stored.version <= known.version) {
      this.#aheadSince.delete(chain);
      return 'none';
    }
    const nowMs = this.#options.clock.monotonicMs();
    const sinceMs = this.#aheadSince.get(chain) ?? nowMs;
    this.#aheadSince.set(chain, sinceMs);
    return nowMs - sinceMs < FEED_DELAY_MAX_MS ? 'none' : 'ahead';
  }

  #onBatch(batch: FeedBatch): void {
    const { chain, epoch, version, checkpoint } = batch;
    const known = this.current(chain);
    const knownEpoch = this.#epochs.get(chain);
    this.#epochs.set(chain, epoch);
    // Of an epoch that is not known yet, the first commit is never old.
    const isSameIndex = knownEpoch === undefined ? version !== 1 : knownEpoch === epoch;
    if (known !== null && isSameIndex && version <= known.version) return;
    const isWhole =
      batch.complete && known !== null && isSameIndex && version === known.version + 1;
    if (!isWhole) {
      const all = { tokens: 'all', listed: 'all', batch: null, jump: 'none' } as const;
      this.#step({ chain, checkpoint, ...all }, !isSameIndex);
      return;
    }
    // A pool's row may change without its tokens' rows; a new retention floor affects every token.
    const tokens = isKeptAlike(known, checkpoint)
      ? [...new Set([...batch.tokens, ...batch.listed])]
      : 'all';
    this.#step({ chain, checkpoint, tokens, listed: batch.listed, batch, jump: 'none' });
  }

  #step(change: StateChange, isNewIndex = false): void {
    const { chain, checkpoint, batch } = change;
    const known = this.commits(chain);
    const isReload = batch === null && known.last !== null;
    if (isReload) this.#reloads.set(chain, this.countReloads(chain) + 1);
    if (isNewIndex || checkpoint.version <= (known.last?.version ?? 0)) {
      known.end();
      this.#commits.delete(chain);
    }
    this.commits(chain).add(change);
    this.#aheadSince.delete(chain);
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}
