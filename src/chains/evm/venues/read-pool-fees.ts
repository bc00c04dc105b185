// Fees that pools charge now and no log tells: of Aerodrome's and Velodrome's pairs, whose factory
// changes them silently, and of Slipstream's pools, whose fee a module computes.

import type { DirectionFees } from '../../../amm/swap-pool.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import type { EvmDeployment } from '../evm-deployment.ts';
import { toPoolContract } from '../evm-ids.ts';
import { addressWord, encodeCallData, hasWords, uintAt, uintWord } from '../hex-data.ts';
import type { ContractCall } from '../multicall.ts';
import { GET_FEE_SELECTOR } from './uniswap-v2/pair-selectors.ts';
import { findV2Fork, findV2Layout } from './uniswap-v2/v2-layouts.ts';
import { FEE_SELECTOR } from './uniswap-v3/pool-selectors.ts';
import { findLayoutOfVenue } from './uniswap-v3/v3-layouts.ts';
import type { CallContracts } from './venue-protocol.ts';

const PIPS = 1_000_000n;
/** A factory's fees are in 1/10000. */
const PIPS_PER_BPS = 100n;

interface FeeAsk {
  readonly call: ContractCall;
  readonly pipsPerUnit: bigint;
}

/** Null for a pool whose fee is fixed or logged. */
function buildAsk(query: PoolFeeQuery, deployment: EvmDeployment): FeeAsk | null {
  const { pool, kind, venue, isStable } = query;
  const contract = toPoolContract(pool);
  if (kind === 'solidlyPair' && isStable !== null) {
    const fork = findV2Fork(deployment, venue);
    if (fork === null || findV2Layout(fork).name !== 'solidly') return null;
    const key = [addressWord(contract), uintWord(isStable ? 1 : 0)];
    const data = encodeCallData(GET_FEE_SELECTOR, ...key);
    return { call: { to: fork.factory, data }, pipsPerUnit: PIPS_PER_BPS };
  }
  if (kind !== 'concentrated' || findLayoutOfVenue(deployment, venue).fee.kind !== 'asked') {
    return null;
  }
  return { call: { to: contract, data: FEE_SELECTOR }, pipsPerUnit: 1n };
}

/** Null where the contract does not answer, and for pools that are not asked. */
export async function readPoolFees(
  queries: readonly PoolFeeQuery[],
  context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
): Promise<(DirectionFees | null)[]> {
  const asks = queries.map((query) => buildAsk(query, context.deployment));
  const asked = asks.filter((ask) => ask !== null);
  if (asked.length === 0) return asks.map(() => null);
  const answers = await context.callContracts(asked.map(({ call }) => call));
  const fees = new Map(
    asked.map((ask, index) => {
      const answer = answers[index] ?? null;
      const pips =
        answer !== null && hasWords(answer, 1) ? uintAt(answer, 0) * ask.pipsPerUnit : PIPS;
      const fee = Number(pips);
      return [ask, pips < PIPS ? { zeroForOne: fee, oneForZero: fee } : null];
    }),
  );
  return asks.map((ask) => (ask === null ? null : (fees.get(ask) ?? null)));
}
