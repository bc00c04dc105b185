// A chain's daily budget of credits over all processes: each tells the others what it spends, so
// that every one of them knows the whole.

import type { ChainSource } from '../chains/family.ts';
import { RpcMeter } from '../chains/rpc/rpc-meter.ts';
import type { ConnectedChain } from '../engines/chain-connections.ts';
import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { SignalStore } from '../store/feed-store.ts';

interface SharedCreditsOptions {
  readonly signals: SignalStore;
  /** The name of this process among those on the store. */
  readonly node: string;
  /** Those that this process uses now. */
  readonly listConnected: () => readonly Pick<ConnectedChain, 'source' | 'memory'>[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

interface SpentCredits {
  readonly from: string;
  readonly chain: ChainSlug;
  /** Since the sender's last message. */
  readonly credits: number;
  /** For how long the budget is spent, as the sender knows it. */
  readonly aheadMs: number;
}

const CHANNEL = 'mintwire_credits';
const TELL_MS = 1000;
/** What is known is told this often even if nothing was spent, for processes that start. */
const REPEAT_MS = 5000;

function hasBudget({ budget }: ChainSource): boolean {
  return budget !== undefined && budget.creditsPerDay !== null;
}

export class SharedCredits {
  readonly #options: SharedCreditsOptions;
  readonly #announcedAtMs = new Map<ChainSlug, number>();
  readonly #endListening: () => Promise<void>;
  readonly #endTelling: () => Promise<void>;

  constructor(options: SharedCreditsOptions) {
    const { signals, onError, everyMs = TELL_MS } = options;
    this.#options = options;
    this.#endListening = signals.listen(CHANNEL, (text) => this.#onMessage(text));
    this.#endTelling = startPolling(() => this.#tell(), { everyMs, onError });
  }

  async stop(): Promise<void> {
    await this.#endTelling();
    await this.#endListening();
  }

  /** On the memory that all threads of this process count in. */
  *#listMeters(): Generator<readonly [ChainSlug, RpcMeter]> {
    const { clock, listConnected } = this.#options;
    for (const { source, memory } of listConnected()) {
      if (!hasBudget(source)) continue;
      const shared = { memory, thread: 'main' } as const;
      yield [source.chain, new RpcMeter({ clock, budget: source.budget, shared })];
    }
  }

  async #tell(): Promise<void> {
    const { signals, node, clock } = this.#options;
    for (const [chain, meter] of this.#listMeters()) {
      const credits = meter.takeUntold();
      const { aheadMs } = meter;
      const nowMs = clock.monotonicMs();
      const isDue = nowMs - (this.#announcedAtMs.get(chain) ?? nowMs - REPEAT_MS) >= REPEAT_MS;
      if (credits === 0 && !(isDue && aheadMs > 0)) continue;
      const spent: SpentCredits = { from: node, chain, credits, aheadMs };
      try {
        await signals.send(CHANNEL, JSON.stringify(spent));
        this.#announcedAtMs.set(chain, nowMs);
      } catch (error) {
        meter.putBackUntold(credits);
        throw error;
      }
    }
  }

  /** Whoever may use the database may have sent it. */
  #onMessage(text: string): void {
    try {
      const { from, chain, credits, aheadMs } = JSON.parse(text) as SpentCredits;
      if (from === this.#options.node) return;
      if (!isAmount(credits) || !isAmount(aheadMs)) throw new TypeError(`no credits: ${text}`);
      for (const [slug, meter] of this.#listMeters()) {
        if (slug === chain) meter.countElsewhere({ credits, aheadMs });
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
