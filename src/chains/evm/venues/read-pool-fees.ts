// Fees that pools charge now and no log tells: of Aerodrome's and Velodrome's pairs, whose factory
// changes them silently, of Slipstream's pools, whose fee a module computes, and of Algebra's,
// whose fee follows from the block's time.

import type { DirectionFees } from '../../../amm/swap-pool.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import { addressWord, encodeCallData, hasWords, uintAt, uintWord } from '../data/hex-data.ts';
import type { CallContracts, ContractCall } from '../rpc/multicall.ts';
import { GET_FEE_SELECTOR } from './uniswap-v2/pair-selectors.ts';
import { findV2Fork, findV2Layout } from './uniswap-v2/v2-layouts.ts';
import { FEE_SELECTOR } from './uniswap-v3/pool-selectors.ts';
import { findLayoutOfVenue } from './uniswap-v3/v3-layouts.ts';

/** `quoteExactInputSingle` of Algebra's quoter: answers the amount, and the fee. */
const ALGEBRA_QUOTE_SELECTOR = '0x2d9ebd1d';
const PIPS = 1_000_000n;
/** A factory's fees are in 1/10000. */
const PIPS_PER_BPS = 100n;

/** Any amount pays the same fee. */
const QUOTED_AMOUNT = 1000n;

/** What is called for a pool, once or for each direction; which word of an answer is the fee. */
interface FeeAsk {
  readonly calls: readonly ContractCall[];
  readonly word: number;
  readonly pipsPerUnit: bigint;
}

/** A quoter runs a swap: its fee is that of the block's time, which the pool's own state is not. */
function buildQuotes(quoter: Address, { token0, token1 }: PoolFeeQuery): ContractCall[] {
  const amounts = [uintWord(QUOTED_AMOUNT), uintWord(0)];
  return [
    [token0, token1],
    [token1, token0],
  ].map((tokens) => ({
    to: quoter,
    data: encodeCallData(ALGEBRA_QUOTE_SELECTOR, ...tokens.map(addressWord), ...amounts),
  }));
}

/** Null for a pool whose fee is fixed, or that nobody can be asked for. */
function buildAsk(query: PoolFeeQuery, deployment: EvmDeployment): FeeAsk | null {
  const { pool, kind, venue, isStable } = query;
  const contract = toPoolContract(pool);
  if (kind === 'solidlyPair' && isStable !== null) {
    const fork = findV2Fork(deployment, venue);
    if (fork === null || findV2Layout(fork).name !== 'solidly') return null;
    const key = [addressWord(contract), uintWord(isStable ? 1 : 0)];
    const data = encodeCallData(GET_FEE_SELECTOR, ...key);
    return { calls: [{ to: fork.factory, data }], word: 0, pipsPerUnit: PIPS_PER_BPS };
  }
  if (kind !== 'concentrated') return null;
  const { kind: source } = findLayoutOfVenue(deployment, venue).fee;
  if (source === 'asked') {
    return { calls: [{ to: contract, data: FEE_SELECTOR }], word: 0, pipsPerUnit: 1n };
  }
  const quoter = deployment.v3.find((fork) => fork.venue === venue)?.quoter ?? null;
  if (source !== 'logged' || quoter === null) return null;
  return { calls: buildQuotes(quoter, query), word: 1, pipsPerUnit: 1n };
}

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
  const asks = queries.map((query) => buildAsk(query, context.deployment));
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
