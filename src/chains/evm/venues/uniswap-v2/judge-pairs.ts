// Judges pairs of factories that nobody listed, by what they do: a pair and its factory name each
// other, the pair holds its reserves, and it swaps like a constant product with one fee.
//
// What an unknown pair charges is found out by swapping in it: the node runs the pair's own code
// with fake tokens in place of its tokens, and our probe as the trader. Nothing is sent. For three
// sizes in both directions the probe searches the largest output that the pair lets out. Only a
// pair whose outputs all fit one fee is a constant product; any other is refused.

import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../../model/ids.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { BALANCE_OF_SELECTOR } from '../../tokens/read-token-metadata.ts';
import { callProbe, type ProbeNode } from '../call-probe.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from '../factory-pools.ts';
import {
  type ForkProtocol,
  type ForkVerdict,
  judgeProbe,
  NOT_NOW,
  REFUSED,
} from '../fork-protocol.ts';
import { listPairSwaps } from './decode-uniswap-v2.ts';
import { CODE as PAIR_PROBE_CODE } from './pair-probe.gen.ts';
import { GET_PAIR_SELECTOR, GET_RESERVES_SELECTOR } from './pair-selectors.ts';

interface ProbedPair {
  readonly pair: Address;
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

const ABI = parseAbi([
  'struct Try { address pair; address tokenIn; bool zeroForOne; uint256 amountIn; }',
  'function maxOut(Try one, uint256 reserveOut) returns (uint256 best, uint256 reserve0, uint256 reserve1)',
]);
/** A search takes some 110 tries of a swap. */
const GAS = '0x1c9c380';
const DIVISORS = [1n, 7n, 1000n];
const PIPS = 1_000_000n;
const FEE_MAX = 100_000;
const FEE_STEP = 10;
const SIDES = [true, false];

interface Sample {
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

function listSamples({ reserve0, reserve1 }: ProbedPair): Sample[] {
  return SIDES.flatMap((zeroForOne) => {
    const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
    return DIVISORS.map((divisor) => ({
      ...{ zeroForOne, reserveIn, reserveOut, amountIn: reserveIn / divisor },
    }));
  });
}

/** Null if the pair let nothing out; throws if the node cannot tell. */
async function measure(
  { pair, token0, token1, reserve0, reserve1 }: ProbedPair,
  { zeroForOne, amountIn, reserveIn, reserveOut }: Sample,
  node: ProbeNode,
): Promise<bigint | null> {
  const tokenIn = (zeroForOne ? token0 : token1) as Hex;
  const args = [{ pair: pair as Hex, tokenIn, zeroForOne, amountIn }, reserveOut] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'maxOut', args });
  const held = [[token0, reserve0] as const, [token1, reserve1] as const];
  const result = await callProbe({ code: PAIR_PROBE_CODE, data, gas: GAS, held }, node);
  const [best, after0, after1] = decodeFunctionResult({
    ...{ abi: ABI, functionName: 'maxOut', data: result },
  });
  const isKept = (zeroForOne ? after0 : after1) === reserveIn + amountIn;
  return best > 0n && isKept ? best : null;
}

/** What a constant product with this fee lets out. */
function computeOut({ amountIn, reserveIn, reserveOut }: Sample, feePips: number): bigint {
  const charged = amountIn * (PIPS - BigInt(feePips));
  return (charged * reserveOut) / (reserveIn * PIPS + charged);
}

/** The only fee that gives all outputs; null if there is none or more than one. */
export function fitFee(
  samples: readonly (Sample & { readonly amountOut: bigint })[],
): number | null {
  const fits: number[] = [];
  for (let fee = 0; fee <= FEE_MAX && fits.length < 2; fee += FEE_STEP) {
    if (samples.every((sample) => computeOut(sample, fee) === sample.amountOut)) fits.push(fee);
  }
  return fits.length === 1 ? (fits[0] ?? null) : null;
}

async function probePair(pair: ProbedPair, node: ProbeNode): Promise<ForkVerdict> {
  const samples = [];
  for (const sample of listSamples(pair)) {
    const amountOut = await measure(pair, sample, node);
    if (amountOut === null) return REFUSED;
    samples.push({ ...sample, amountOut });
  }
  const feePips = fitFee(samples);
  return feePips === null ? REFUSED : { kind: 'same', feePips };
}

/** Below this, sizes differ too little to tell fees apart. */
const RESERVE_MIN = 10n ** 9n;
const ASKS = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR, GET_RESERVES_SELECTOR];

function parsePair(pair: Address, answers: readonly (string | null)[]): ProbedPair | null {
  const [factory, token0, token1, reserves] = answers;
  const isWord = (one: string | null | undefined): one is string => one != null && hasWords(one, 1);
  if (!isWord(factory) || !isWord(token0) || !isWord(token1)) return null;
  if (reserves == null || !hasWords(reserves, 3)) return null;
  const found = {
    ...{ pair, factory: decodeAddressAt(factory, 0) },
    ...{ token0: decodeAddressAt(token0, 0), token1: decodeAddressAt(token1, 0) },
    ...{ reserve0: uintAt(reserves, 0), reserve1: uintAt(reserves, 1) },
  };
  return found.token0 < found.token1 ? found : null;
}

/** The pair that the factory names for the two tokens; the zero address if it names none. */
async function readNamedPair(
  { factory: to, token0, token1 }: ProbedPair,
  callContracts: CallContracts,
): Promise<Address> {
  const data = encodeCallData(GET_PAIR_SELECTOR, addressWord(token0), addressWord(token1));
  const [answer = null] = await callContracts([{ to, data }]);
  return answer !== null && hasWords(answer, 1) ? decodeAddressAt(answer, 0) : ZERO_ADDRESS;
}

async function holdsReserves(
  { pair, token0, token1, reserve0, reserve1 }: ProbedPair,
  callContracts: CallContracts,
): Promise<boolean> {
  const data = encodeCallData(BALANCE_OF_SELECTOR, addressWord(pair));
  const balances = await callContracts([token0, token1].map((to) => ({ to, data })));
  return [reserve0, reserve1].every((reserve, index) => {
    const balance = balances[index] ?? null;
    return balance !== null && hasWords(balance, 1) && uintAt(balance, 0) >= reserve;
  });
}

export const PAIR_FORKS: ForkProtocol = {
  prefix: 'v2-like:',
  listSwapped: listPairSwaps,
  async readClaim(pool, judging) {
    const { callContracts } = judging;
    const to = toPoolContract(pool);
    const pair = parsePair(to, await callContracts(ASKS.map((data) => ({ to, data }))));
    if (pair === null) return null;
    const { factory, token0, token1, reserve0, reserve1 } = pair;
    return {
      ...{ factory, token0, token1 },
      async confirm() {
        const isDeep = reserve0 >= RESERVE_MIN && reserve1 >= RESERVE_MIN;
        if (!isDeep || !(await holdsReserves(pair, callContracts))) return NOT_NOW;
        const named = await readNamedPair(pair, callContracts);
        if (named !== to) return named === ZERO_ADDRESS ? NOT_NOW : REFUSED;
        return {
          kind: 'confirmed',
          maskCode: (code) => code,
          probe: () => judgeProbe(() => probePair(pair, judging)),
          toDetails(feePips) {
            if (feePips === null) throw new Error('a pair whose fee was not measured');
            return { kind: 'constantProduct', feePips, terms: { isFeeUnchecked: true } };
          },
        };
      },
    };
  },
};
