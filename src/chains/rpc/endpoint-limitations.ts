// What an endpoint was found not to do, with how that is worked around, for operators.

import type { Clock } from '../../lib/clock.ts';
import type { RpcError } from './rpc-error.ts';

/** A limitation that was not met again for this long may be gone. */
const KEPT_MS = 60 * 60 * 1000;

/** What is done where a method is missing; elsewhere another endpoint is asked. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  eth_getBlockReceipts: 'blocks are read by their logs',
  eth_feeHistory: 'fees are read by eth_gasPrice',
  eth_simulateV1: 'trades are simulated by eth_call',
  eth_createAccessList: 'storage slots are searched for without it',
  getProgramAccounts: 'holders and pools that are older than the index stay incomplete',
};

interface FailedCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** How many blocks a log query asked for; null for other calls. */
function countBlocks({ params }: FailedCall): number | null {
  const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, unknown>;
  const count = Number(toBlock) - Number(fromBlock) + 1;
  return Number.isInteger(count) && count > 0 ? count : null;
}

function describeRange(call: FailedCall, error: RpcError): string | null {
  const asked = countBlocks(call);
  if (call.method !== 'eth_getLogs' || asked === null) return null;
  if (asked === 1) return 'refuses the logs of some blocks; those are read by their receipts';
  const { suggestedBlocks } = error;
  const isSmaller = suggestedBlocks !== null && suggestedBlocks < asked;
  const limit = isSmaller ? `at most ${suggestedBlocks}` : `fewer than ${asked}`;
  return `answers eth_getLogs for ${limit} blocks at once; ranges are read in parts`;
}

export class EndpointLimitations {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #found = new Map<string, { readonly text: string; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** One text for each kind; the newest one counts. */
  note(kind: string, text: string): void {
    this.#found.set(kind, { text, atMs: this.#clock.monotonicMs() });
  }

  /** Notes what the error of a call says about the endpoint. */
  noteCall(call: FailedCall, error: RpcError): void {
    if (error.kind === 'unsupported') {
      const substitute = SUBSTITUTES[call.method] ?? 'another endpoint is asked';
      this.note(call.method, `does not offer ${call.method}; ${substitute}`);
    }
    if (error.kind === 'stateUnavailable') {
      this.note('state', 'has no state of older blocks; it is read elsewhere or at a newer block');
    }
    const range = error.kind === 'rangeTooLarge' ? describeRange(call, error) : null;
    if (range !== null) this.note('range', range);
  }

  /** Notes how many credits a second are asked for since it limited the rate. */
  noteRate(creditsPerSecond: number): void {
    const rate = creditsPerSecond < 10 ? creditsPerSecond.toFixed(1) : Math.round(creditsPerSecond);
    this.note('rateLimited', `limits the rate of requests; ${rate} credits a second are asked for`);
  }

  /** Notes why the endpoint was suspended. */
  noteSuspension(error: RpcError): void {
    const { kind } = error;
    if (kind === 'denied') this.note(kind, 'denies access; others are asked');
    if (kind === 'wrongChain')
      this.note(kind, 'serves another chain and is not used; its chain is checked again');
    if (kind === 'invalidReply') {
      this.note(kind, 'contradicts itself or the others; its reply was rejected, see the log');
    }
  }

  /** Whether it was noted, and not too long ago. */
  has(kind: string): boolean {
    const atMs = this.#found.get(kind)?.atMs;
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < KEPT_MS;
  }

  list(): string[] {
    return Array.from(this.#found, ([kind, { text }]) => (this.has(kind) ? [text] : [])).flat();
  }
}
