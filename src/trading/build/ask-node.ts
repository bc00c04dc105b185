// Calls a chain's node for a waiting user: with a total timeout and a `Retry-After`.

import type { NodeFaults } from '../../chains/chain-transactions.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';

/** The total time for all calls to the node. */
const BUDGET_MS = 8000;

interface Asked {
  readonly chain: ChainSlug;
  readonly node: NodeFaults;
  readonly sleep: Sleep;
  readonly budgetMs?: number;
}

/** A failing node is reported as unavailable, not as the caller's error. */
export async function askNode<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  const { chain, node, sleep, budgetMs = BUDGET_MS } = asked;
  const buildUnavailableError = (cause?: unknown) =>
    new AppError(
      'UPSTREAM_UNAVAILABLE',
      { upstream: `The node of ${chain}` },
      { retryAfterSeconds: node.retryAfterSeconds(), cause },
    );
  const done = new AbortController();
  const late = sleep(budgetMs, done.signal).then(() => {
    throw buildUnavailableError();
  });
  try {
    // Pending calls have their own timeouts, and nobody waits for them.
    return await Promise.race([work(), late]);
  } catch (error) {
    throw node.isUnavailable(error) ? buildUnavailableError(error) : error;
  } finally {
    done.abort();
    late.catch(() => undefined);
  }
}
