// Whether a block near the head is read by its receipts or by a log query, by what is cheaper at
// the endpoint. Both need the header; logs also need a receipt, to see that none is missing.

import type { Clock } from '../../../lib/clock.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';

/** How long an endpoint without usable receipts is not asked for them again. */
const REFUSED_MS = 60 * 60 * 1000;

export class ReceiptsChoice {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #refusedAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  takesReceipts(endpoint: RpcEndpoint): boolean {
    const refusedAtMs = this.#refusedAtMs.get(endpoint.name);
    if (refusedAtMs !== undefined && this.#clock.monotonicMs() - refusedAtMs < REFUSED_MS) {
      return false;
    }
    const byLogs =
      endpoint.creditsOf('eth_getLogs') + endpoint.creditsOf('eth_getTransactionReceipt');
    return endpoint.creditsOf('eth_getBlockReceipts') <= byLogs;
  }

  /** The endpoint has no receipts, or not all of a block. */
  refuse(endpoint: RpcEndpoint): void {
    this.#refusedAtMs.set(endpoint.name, this.#clock.monotonicMs());
  }
}
