// Asks a chain's node on behalf of somebody who waits: an end to it, and when to come again.

import type { NodeFaults } from '../../chains/chain-transactions.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';

/** However often the node is asked meanwhile, and whichever of its answers does not come. */
const BUDGET_MS = 8000;

interface Asked {
  readonly chain: ChainSlug;
  readonly node: NodeFaults;
  readonly sleep: Sleep;
  readonly budgetMs?: number;
}

/** A node that does not answer is nobody's fault who asks. */
export async function askNode<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  const { chain, node, sleep, budgetMs = BUDGET_MS } = asked;
  const toUnavailable = (cause?: unknown) =>
    new AppError(
      'UPSTREAM_UNAVAILABLE',
      { upstream: `The node of ${chain}` },
      { retryAfterSeconds: node.retryAfterSeconds(), cause },
    );
  const done = new AbortController();
  const late = sleep(budgetMs, done.signal).then(() => {
    throw toUnavailable();
  });
  try {
    // What is still under way has an end of its own, and nobody waits for it.
    return await Promise.race([work(), late]);
  } catch (error) {
    throw node.isUnavailable(error) ? toUnavailable(error) : error;
  } finally {
    done.abort();
    late.catch(() => undefined);
  }
}
