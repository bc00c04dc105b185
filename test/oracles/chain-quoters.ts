// Results of the exchanges' own quoting contracts, in one batch of calls.

import {
  type Abi,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { readArtifact } from '../../devnet/artifacts.ts';
import type { DevnetPool } from '../../devnet/deployment.ts';
import { DevnetRpcError } from '../../devnet/json-rpc.ts';
import { toPoolKey } from '../../devnet/liquidity-calldata.ts';
import type { TestChain } from '../../devnet/test-chain.ts';

export interface QuoteQuestion {
  readonly pool: DevnetPool;
  readonly zeroForOne: boolean;
  readonly kind: 'in' | 'out';
  readonly amount: bigint;
}

export interface QuoterAnswer {
  /** The amount of the other side; null if the quoter reverts. */
  readonly amount: bigint | null;
  /** Only for V3. */
  readonly sqrtPriceX96: bigint | null;
}

const V2_ABI = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
]);

const V3_QUOTER_ABI = readArtifact('QuoterV2').abi;
const V4_QUOTER_ABI = readArtifact('V4Quoter').abi;

interface Call {
  readonly to: Hex;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

function buildCall(chain: TestChain, { pool, zeroForOne, kind, amount }: QuoteQuestion): Call {
  const { contracts } = chain.deployment;
  const path = zeroForOne ? [pool.currency0, pool.currency1] : [pool.currency1, pool.currency0];
  if (pool.venue === 'uniswap-v2') {
    const functionName = kind === 'in' ? 'getAmountsOut' : 'getAmountsIn';
    return { to: contracts.v2Router, abi: V2_ABI, functionName, args: [amount, path] };
  }
  const functionName = kind === 'in' ? 'quoteExactInputSingle' : 'quoteExactOutputSingle';
  if (pool.venue === 'uniswap-v3') {
    const [tokenIn, tokenOut] = path;
    const sized = kind === 'in' ? { amountIn: amount } : { amount };
    const args = [{ tokenIn, tokenOut, ...sized, fee: pool.feePips, sqrtPriceLimitX96: 0n }];
    return { to: contracts.v3Quoter, abi: V3_QUOTER_ABI, functionName, args };
  }
  const args = [{ poolKey: toPoolKey(pool), zeroForOne, exactAmount: amount, hookData: '0x' }];
  return { to: contracts.v4Quoter, abi: V4_QUOTER_ABI, functionName, args };
}

function readAnswer({ pool, kind }: QuoteQuestion, result: unknown): QuoterAnswer {
  const [first, second] = result as [bigint | readonly bigint[], bigint];
  if (pool.venue === 'uniswap-v2') {
    const amounts = result as readonly bigint[];
    return { amount: amounts[kind === 'in' ? 1 : 0] ?? null, sqrtPriceX96: null };
  }
  return { amount: first as bigint, sqrtPriceX96: pool.venue === 'uniswap-v3' ? second : null };
}

async function ask(chain: TestChain, call: Call): Promise<unknown> {
  const { to, abi, functionName, args } = call;
  const data = encodeFunctionData({ abi, functionName, args });
  const message = { from: zeroAddress, to, data, gas: '0x1c9c3800' };
  try {
    const answer = await chain.rpc.call<Hex>('eth_call', message, 'latest');
    return decodeFunctionResult({ abi, functionName, data: answer });
  } catch (error) {
    if (error instanceof DevnetRpcError) return null;
    throw error;
  }
}

/** In the requested order. */
export async function askQuoters(
  chain: TestChain,
  questions: readonly QuoteQuestion[],
): Promise<QuoterAnswer[]> {
  const results = await Promise.all(questions.map((one) => ask(chain, buildCall(chain, one))));
  return results.map((result, index) => {
    const question = questions[index];
    if (result === null || question === undefined) return { amount: null, sqrtPriceX96: null };
    return readAnswer(question, result);
  });
}
