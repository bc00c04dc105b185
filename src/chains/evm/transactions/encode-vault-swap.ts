// Encodes a path through pools of Balancer's V2 vault. The vault is its own router: it takes the
// input from the wallet, which has approved it, keeps what passes between pools and pays the last
// output. The zero address stands for the native coin, which the vault wraps and unwraps itself.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { ZERO_ADDRESS } from '../zero-address.ts';
import type { SwapHop } from './swap-plan.ts';

const VAULT_ABI = parseAbi([
  'struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct BatchStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function swap(SingleSwap singleSwap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256)',
  'function batchSwap(uint8 kind, BatchStep[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[])',
]);

const GIVEN_IN = 0;
const NO_DATA: Hex = '0x';
/** As the amount of a later step: all that the step before paid. */
const PAID_BEFORE = 0n;

interface VaultPath {
  readonly hops: readonly SwapHop[];
  readonly amountIn: bigint;
  readonly amountOutMin: bigint;
  readonly recipient: Hex;
  readonly deadline: bigint;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
}

function findPoolWord({ pool }: SwapHop): Hex {
  if (pool.kind !== 'vault') throw new Error(`${pool.kind} pool in a path through a vault`);
  return pool.poolWord as Hex;
}

/** The tokens of the path in order, with the zero address where the coin itself is meant. */
function listAssets({ hops, isNativeIn, isNativeOut }: VaultPath): Hex[] {
  const [first] = hops;
  if (first === undefined) throw new Error('a path without hops');
  const tokens = [first.tokenIn, ...hops.map(({ tokenOut }) => tokenOut)];
  return tokens.map((token, index) => {
    const isCoin = index === 0 ? isNativeIn : isNativeOut && index === hops.length;
    return (isCoin ? ZERO_ADDRESS : token) as Hex;
  });
}

/** One hop by `swap`, which costs less; more by `batchSwap`, which moves only the ends. */
export function encodeVaultSwap(path: VaultPath): Hex {
  const { hops, amountIn, amountOutMin, recipient, deadline } = path;
  const abi = VAULT_ABI;
  const assets = listAssets(path);
  const funds = {
    ...{ sender: recipient, fromInternalBalance: false },
    ...{ recipient, toInternalBalance: false },
  };
  const [first] = hops;
  if (first !== undefined && hops.length === 1) {
    const [assetIn = ZERO_ADDRESS as Hex, assetOut = ZERO_ADDRESS as Hex] = assets;
    const swap = {
      ...{ poolId: findPoolWord(first), kind: GIVEN_IN, assetIn, assetOut },
      ...{ amount: amountIn, userData: NO_DATA },
    };
    const args = [swap, funds, amountOutMin, deadline] as const;
    return encodeFunctionData({ abi, functionName: 'swap', args });
  }
  const steps = hops.map((hop, index) => ({
    poolId: findPoolWord(hop),
    ...{ assetInIndex: BigInt(index), assetOutIndex: BigInt(index + 1) },
    ...{ amount: index === 0 ? amountIn : PAID_BEFORE, userData: NO_DATA },
  }));
  // What the wallet may lose of each asset at most: below zero, what it must gain at least.
  const limits = assets.map((_, index) => {
    if (index === 0) return amountIn;
    return index === hops.length ? -amountOutMin : 0n;
  });
  const args = [GIVEN_IN, steps, assets, funds, limits, deadline] as const;
  return encodeFunctionData({ abi, functionName: 'batchSwap', args });
}
