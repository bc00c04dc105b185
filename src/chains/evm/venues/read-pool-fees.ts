// Fees that pools charge now and no log tells, each asked for in the way of its protocol.

import type { DirectionFees } from '../../../amm/swap-pool.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { hasWords, uintAt } from '../data/hex-data.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { findFirst, VENUE_PROTOCOLS } from './registry.ts';
import type { FeeAsk } from './venue-protocol.ts';

const PIPS = 1_000_000n;

/** Null if the answer has no fee. */
function decodeFee(answer: string | null | undefined, ask: FeeAsk): number | null {
  if (answer == null || !hasWords(answer, ask.word + 1)) return null;
  const pips = uintAt(answer, ask.word) * ask.pipsPerUnit;
  return pips < PIPS ? Number(pips) : null;
}

/** Null where the contract does not answer, and for pools that are not asked. */
export async function readPoolFees(
  queries: readonly PoolFeeQuery[],
  context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
): Promise<(DirectionFees | null)[]> {
  const asks = queries.map((query) =>
    findFirst(VENUE_PROTOCOLS, (one) => one.buildFeeAsk?.(query, context.deployment) ?? null),
  );
  const calls = asks.flatMap((ask) => ask?.calls ?? []);
  const answers = calls.length === 0 ? [] : await context.callContracts(calls);
  let next = 0;
  return asks.map((ask) => {
    if (ask === null) return null;
    const [down = null, up = down] = ask.calls.map(() => {
      next += 1;
      return decodeFee(answers[next - 1], ask);
    });
    return down === null || up === null ? null : { zeroForOne: down, oneForZero: up };
  });
}
