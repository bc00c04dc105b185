// A whole trade: build, review, sign, send, and follow it to its end.
//
// Nothing is sent twice without asking for its status first. A transaction that is signed here has
// its hash before it is sent, so a lost answer is cleared up by asking; sending the same bytes
// again cannot trade twice. A wallet that signs and sends by itself is never asked again for a
// transaction that it may have sent.

import type { BuiltTrade, Permit, TradeStatus } from './contract.gen.ts';
import type { MintwireClient, OperationInput } from './create-client.ts';
import { followTransaction, POLL_MS } from './follow-transaction.ts';
import { TradeError, type TradeErrorCode, type TradeProgress } from './trade-error.ts';
import {
  canSend,
  canSignPermit,
  prepareSending,
  signForSending,
  signPermit,
  type TradeWallet,
  type TransactionToSend,
  WalletRefusal,
} from './trade-wallet-sender.ts';
import { waitMs } from './wait-ms.ts';

export interface TradeOptions {
  readonly wallet: TradeWallet;
  /**
   * Shown before anything of a build is signed; false refuses. With a permit there are two builds.
   * Read `built.summary` to a person.
   */
  readonly review?: (built: BuiltTrade) => boolean | Promise<boolean>;
  /** Called before and after each transaction is sent. Store it to go on after a crash. */
  readonly onProgress?: (progress: TradeProgress) => void | Promise<void>;
  /** How far an earlier run came; the input is not built again. */
  readonly resume?: TradeProgress | undefined;
  /** When it is done: mined; mined and its trades indexed (the default); or final. */
  readonly until?: 'confirmed' | 'indexed' | 'finalized' | undefined;
  /** How often the status is asked for where no request waits for it; a second by default. */
  readonly pollMs?: number | undefined;
  /** How long no node may know a transaction until it counts as lost; 30 seconds by default. */
  readonly lostAfterMs?: number | undefined;
  /** How long to wait for each transaction; ten minutes by default. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TradeOutcome extends TradeStatus {
  readonly built: BuiltTrade;
  readonly hashes: readonly string[];
}

const LOST_AFTER_MS = 30_000;
const TIMEOUT_MS = 600_000;
/** How often the same bytes are sent. */
const SENDS_MAX = 3;

interface FollowedSend {
  readonly txHash: string;
  readonly transaction: TransactionToSend;
  readonly wantsTrades: boolean;
  readonly isEnough: (status: TradeStatus) => boolean;
}

class TradeRun {
  readonly #client: MintwireClient;
  readonly #options: TradeOptions;
  #progress: TradeProgress;

  constructor(client: MintwireClient, options: TradeOptions, progress: TradeProgress) {
    this.#client = client;
    this.#options = options;
    this.#progress = progress;
  }

  #fail(code: TradeErrorCode, detail?: string, cause?: unknown): TradeError {
    return new TradeError(code, this.#progress, {
      ...(detail === undefined ? {} : { detail }),
      cause,
    });
  }

  async #note(index: number, hash: string | null): Promise<void> {
    const sent = [...this.#progress.sent.slice(0, index), hash];
    this.#progress = { ...this.#progress, sent };
    await this.#options.onProgress?.(this.#progress);
  }

  /** Forgets a transaction that was certainly not sent. */
  async #forget(index: number): Promise<void> {
    this.#progress = { ...this.#progress, sent: this.#progress.sent.slice(0, index) };
    await this.#options.onProgress?.(this.#progress);
  }

  async #readStatus(txHash: string): Promise<TradeStatus> {
    const { chain } = this.#progress.built.quote;
    const { signal } = this.#options;
    try {
      return await this.#client.getTradeStatus({ chain, txHash }, { signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw this.#fail('STATUS_UNKNOWN', txHash, error);
    }
  }

  /** Every status of a transaction; one that cannot be read ends the trade as unknown. */
  async *#readStatuses({ txHash, transaction, wantsTrades }: FollowedSend) {
    const { pollMs, signal } = this.#options;
    const { lostAfterMs = LOST_AFTER_MS, timeoutMs = TIMEOUT_MS } = this.#options;
    const { chain } = this.#progress.built.quote;
    // With its last block, a transaction of Solana that no node knows is `pending` until then.
    const lastValidBlockHeight =
      transaction.type === 'solana-v0' ? transaction.lastValidBlockHeight : undefined;
    const sent = { chain, txHash, lastValidBlockHeight };
    const waitMaxMs = Math.min(lostAfterMs, timeoutMs);
    const how = { signal, pollMs, waitMaxMs, wantsTrades };
    try {
      yield* followTransaction(this.#client, sent, how);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw this.#fail('STATUS_UNKNOWN', txHash, error);
    }
  }

  /** Waits until the status is enough; a transaction that nobody knows for long is lost. */
  async #follow(followed: FollowedSend): Promise<TradeStatus> {
    const { lostAfterMs = LOST_AFTER_MS, timeoutMs = TIMEOUT_MS } = this.#options;
    const { txHash, isEnough } = followed;
    const startMs = Date.now();
    let knownMs = startMs;
    for await (const status of this.#readStatuses(followed)) {
      if (status.status === 'reverted') {
        const { reason } = status;
        throw this.#fail('REVERTED', reason === null ? txHash : `${txHash}: ${reason}`);
      }
      if (isEnough(status)) return status;
      const nowMs = Date.now();
      if (status.status !== 'unknown') knownMs = nowMs;
      else if (nowMs - knownMs >= lostAfterMs) throw this.#fail('LOST', txHash);
      if (nowMs - startMs >= timeoutMs) throw this.#fail('PENDING', txHash);
    }
    throw this.#fail('STATUS_UNKNOWN', txHash);
  }

  #refuse(error: WalletRefusal): TradeError {
    return this.#fail(error.code, error.message, error);
  }

  /** Sends bytes whose hash is known; between two attempts it asks whether they arrived. */
  async #sendBytes(hash: string, send: () => Promise<void>): Promise<void> {
    for (let count = 1; ; count += 1) {
      try {
        await send();
        return;
      } catch (error) {
        await waitMs(this.#options.pollMs ?? POLL_MS, this.#options.signal);
        if ((await this.#readStatus(hash)).status !== 'unknown') return;
        if (count === SENDS_MAX) throw this.#fail('LOST', 'the node does not take it', error);
      }
    }
  }

  async #sendByWallet(index: number, transaction: TransactionToSend): Promise<string> {
    const { wallet, signal } = this.#options;
    const send = await prepareSending(wallet, transaction);
    // Noted before: after a crash it is uncertain whether the wallet has sent it.
    await this.#note(index, null);
    if (signal?.aborted) {
      await this.#forget(index);
      throw signal.reason;
    }
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof WalletRefusal))
        throw this.#fail('SEND_UNCERTAIN', String(error), error);
      await this.#forget(index);
      throw error;
    }
  }

  /** The wallet may open a prompt: not for a trade that was given up, before it or meanwhile. */
  async #sign(transaction: TransactionToSend) {
    const { wallet, signal } = this.#options;
    signal?.throwIfAborted();
    const signed = await signForSending(wallet, transaction);
    signal?.throwIfAborted();
    return signed;
  }

  /** Solana has no deadline: the chain refuses what is too old, and the status says so. */
  get #isOver(): boolean {
    const { deadline } = this.#progress.built;
    return deadline !== null && Date.now() >= deadline;
  }

  async #send(index: number, transaction: TransactionToSend): Promise<string> {
    if (this.#isOver) throw this.#fail('EXPIRED');
    try {
      const signed = await this.#sign(transaction);
      if (signed === null) {
        const hash = await this.#sendByWallet(index, transaction);
        await this.#note(index, hash);
        return hash;
      }
      await this.#note(index, signed.hash);
      await this.#sendBytes(signed.hash, signed.send);
      return signed.hash;
    } catch (error) {
      throw error instanceof WalletRefusal ? this.#refuse(error) : error;
    }
  }

  /** The hash of a transaction: of an earlier run, which is asked for, or sent now. */
  async #findOrSend(index: number, transaction: TransactionToSend): Promise<string> {
    const earlier = this.#progress.sent[index];
    if (earlier === undefined) return this.#send(index, transaction);
    if (earlier === null) throw this.#fail('SEND_UNCERTAIN', 'look into the wallet');
    if ((await this.#readStatus(earlier)).status !== 'unknown') return earlier;
    // Asked, and nobody knows it. The same bytes again cannot trade twice; a wallet's could.
    const signed = await this.#sign(transaction);
    if (signed?.hash === earlier && !this.#isOver) await this.#sendBytes(earlier, signed.send);
    return earlier;
  }

  async run(until: TradeOptions['until']): Promise<TradeOutcome> {
    const { built } = this.#progress;
    const { wallet } = this.#options;
    if (!built.transactions.every((one) => canSend(wallet, one))) {
      throw this.#fail('UNSUPPORTED_TRANSACTION');
    }
    const hashes: string[] = [];
    const nothing = { block: null, tradeIds: [], paid: null, received: null, reason: null };
    let last: TradeStatus = { status: 'unknown', ...nothing };
    for (const [index, transaction] of built.transactions.entries()) {
      const hash = await this.#findOrSend(index, transaction);
      hashes.push(hash);
      const isLast = index === built.transactions.length - 1;
      const wantsTrades = isLast && until === 'indexed';
      const isEnough = ({ status, tradeIds }: TradeStatus) => {
        if (status === 'finalized') return !wantsTrades || tradeIds.length > 0;
        if (status !== 'confirmed') return false;
        return !isLast || until === 'confirmed' || (wantsTrades && tradeIds.length > 0);
      };
      last = await this.#follow({ txHash: hash, transaction, wantsTrades, isEnough });
    }
    return { ...last, built, hashes };
  }

  /** Sends what comes before the swap, and has the wallet sign what the swap needs. */
  async signPermit(permit: Permit): Promise<string> {
    if (!canSignPermit(this.#options.wallet)) {
      throw this.#fail('UNSUPPORTED_TRANSACTION', 'the account signs no typed data');
    }
    await this.run('confirmed');
    const { built } = this.#progress;
    const { wallet, signal } = this.#options;
    signal?.throwIfAborted();
    if (this.#isOver) throw this.#fail('EXPIRED');
    try {
      return await signPermit(wallet, permit, { from: built.wallet, signal });
    } catch (error) {
      throw error instanceof WalletRefusal ? this.#refuse(error) : error;
    }
  }
}

/** Throws if the wallet has less than the trade needs, or if the review says no. */
async function assertWanted(progress: TradeProgress, { review }: TradeOptions): Promise<void> {
  const { built } = progress;
  const { balance, nativeForFees } = built.issues;
  if (balance !== undefined || nativeForFees !== undefined) {
    throw new TradeError('INSUFFICIENT_FUNDS', progress);
  }
  if (review !== undefined && !(await review(built))) throw new TradeError('REFUSED', progress);
}

/**
 * Trades with the wallet of the client's session. Throws a `MintwireError` if it cannot be built
 * (`PRICE_MOVED`, `SIMULATION_REVERTED` …), and a `TradeError` for what comes after.
 */
export async function sendTrade(
  client: MintwireClient,
  input: OperationInput<'buildTrade'>,
  options: TradeOptions,
): Promise<TradeOutcome> {
  const { resume, signal, until = 'indexed' } = options;
  let progress = resume ?? { built: await client.buildTrade(input, { signal }), sent: [] };
  const { built } = progress;
  if (resume === undefined) await assertWanted(progress, options);
  const { permit } = built;
  if (permit !== undefined) {
    const permitSignature = await new TradeRun(client, options, progress).signPermit(permit);
    // It pays at least the minimum that was reviewed: the id seals it.
    const signed = { approval: 'permit', quoteId: built.quote.quoteId, permitSignature } as const;
    const next = await client.buildTrade({ ...input, ...signed }, { signal });
    progress = { built: next, sent: [] };
    await assertWanted(progress, options);
  }
  return new TradeRun(client, options, progress).run(until);
}
