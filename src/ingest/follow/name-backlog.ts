// Tokens whose name or decimals could not be read when they were met: an endpoint may lag or fail,
// and a name may be set later. They are read again, ever less often, and then no more until a
// restart. Those that are stored without decimals are found by a scan.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketScanner } from '../../store/store.ts';

interface NameBacklogOptions {
  readonly adapter: Pick<ChainAdapter, 'chain'>;
  readonly store: Pick<MarketScanner, 'scanTokensWithoutDecimals'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Reads names and stores them; returns the tokens that still lack something. */
  readonly update: (tokens: readonly Address[]) => Promise<readonly Address[]>;
}

/** After each attempt; most tokens without a name never get one. */
const WAITS_MS = [60_000, 600_000, 3_600_000, 21_600_000, 86_400_000] as const;
const SCAN_EVERY_MS = 86_400_000;
const READ_AT_ONCE = 100;
/** Anyone can make tokens without a name. */
const WAITING_MAX = 10_000;

interface WaitingToken {
  readonly attempts: number;
  readonly notBeforeMs: number;
}

export function isUnnamed({ decimals, symbol }: Pick<TokenRecord, 'decimals' | 'symbol'>): boolean {
  return decimals === null || symbol === null;
}

export class NameBacklog {
  readonly #options: NameBacklogOptions;
  /** In the order of their attempts, so that the first are due first. */
  readonly #waiting = new Map<Address, WaitingToken>();
  #scanAtMs = 0;

  constructor(options: NameBacklogOptions) {
    this.#options = options;
  }

  add(tokens: readonly Address[]): void {
    for (const token of tokens) {
      if (!this.#waiting.has(token)) this.#wait(token, 0);
    }
  }

  /** Must be called between two commits; true if something was stored. */
  async catchUp(): Promise<boolean> {
    const { clock, update } = this.#options;
    const nowMs = clock.nowMs();
    if (nowMs >= this.#scanAtMs) await this.#scan(nowMs);
    const due: Address[] = [];
    for (const [token, { notBeforeMs }] of this.#waiting) {
      if (due.length === READ_AT_ONCE) break;
      if (notBeforeMs <= nowMs) due.push(token);
    }
    if (due.length === 0) return false;
    const missing = await update(due);
    for (const token of due) {
      const attempts = (this.#waiting.get(token)?.attempts ?? 0) + 1;
      this.#waiting.delete(token);
      if (missing.includes(token)) this.#wait(token, attempts);
    }
    return missing.length < due.length;
  }

  async #scan(nowMs: number): Promise<void> {
    const { store, adapter } = this.#options;
    this.#scanAtMs = nowMs + SCAN_EVERY_MS;
    for await (const rows of store.scanTokensWithoutDecimals(adapter.chain)) {
      this.add(rows.map(({ token }) => token));
      if (this.#waiting.size >= WAITING_MAX) return;
    }
  }

  #wait(token: Address, attempts: number): void {
    const waitMs = WAITS_MS[attempts];
    if (waitMs === undefined || this.#waiting.size >= WAITING_MAX) return;
    const notBeforeMs = this.#options.clock.nowMs() + waitMs;
    this.#waiting.set(token, { attempts, notBeforeMs });
  }
}
