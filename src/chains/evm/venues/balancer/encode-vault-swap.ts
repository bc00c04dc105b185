// Encodes a path through pools of Balancer's V2 vault. The vault is its own router: it takes the
// input from the wallet, which has approved it, keeps what passes between pools and pays the last
// output. The zero address stands for the native coin, which the vault wraps and unwraps itself.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import {
  listTokens,
  type OutputPlan,
  type PathEnds,
  type PathPlan,
  type RouterKind,
} from '../router-kind.ts';
import type { SwapHop } from '../swap-plan.ts';

const VAULT_ABI = parseAbi([
  'struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct BatchStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function swap(SingleSwap singleSwap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256)',
  'function batchSwap(uint8 kind, BatchStep[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[])',
]);

const GIVEN_IN = 0;
const GIVEN_OUT = 1;
const NO_DATA: Hex = '0x';
/** As the amount of a later step: what the step before has paid, or takes if it came first. */
const OF_STEP_BEFORE = 0n;

function findPoolWord({ pool }: SwapHop): Hex {
  if (pool.kind !== 'vault') throw new Error(`${pool.kind} pool in a path through a vault`);
  return pool.poolWord as Hex;
}

/** The tokens of the path in order, with the zero address where the coin itself is meant. */
function listAssets({ hops, isNativeIn, isNativeOut }: PathEnds): Hex[] {
  return listTokens(hops).map((token, index) => {
    const isCoin = index === 0 ? isNativeIn : isNativeOut && index === hops.length;
    return isCoin ? (ZERO_ADDRESS as Hex) : token;
  });
}

/** What the vault may take or must pay, and the amount that one of its pools is told. */
interface VaultOrder {
  readonly kind: typeof GIVEN_IN | typeof GIVEN_OUT;
  readonly given: bigint;
  /** Of one pool: the least that it pays, or the most that it takes. */
  readonly limit: bigint;
  readonly taken: bigint;
  readonly paid: bigint;
}

/** One hop by `swap`, which costs less; more by `batchSwap`, which moves only the ends. */
function encodeOrder(path: PathEnds, { kind, given, limit, taken, paid }: VaultOrder): Hex {
  const { hops, recipient, deadline } = path;
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
      ...{ poolId: findPoolWord(first), kind, assetIn, assetOut },
      ...{ amount: given, userData: NO_DATA },
    };
    const args = [swap, funds, limit, deadline] as const;
    return encodeFunctionData({ abi, functionName: 'swap', args });
  }
  const ahead = hops.map((hop, index) => ({
    poolId: findPoolWord(hop),
    ...{ assetInIndex: BigInt(index), assetOutIndex: BigInt(index + 1), userData: NO_DATA },
  }));
  // The pool that is told an amount comes first.
  const steps = (kind === GIVEN_IN ? ahead : ahead.toReversed()).map((step, index) => ({
    ...step,
    amount: index === 0 ? given : OF_STEP_BEFORE,
  }));
  // What the wallet may lose of each asset at most: below zero, what it must gain at least.
  const limits = assets.map((_, index) => {
    if (index === 0) return taken;
    return index === hops.length ? -paid : 0n;
  });
  const args = [kind, steps, assets, funds, limits, deadline] as const;
  return encodeFunctionData({ abi, functionName: 'batchSwap', args });
}

function encodeVaultSwap(path: PathPlan): Hex {
  const { amountIn, amountOutMin } = path;
  const amounts = { given: amountIn, limit: amountOutMin, taken: amountIn, paid: amountOutMin };
  return encodeOrder(path, { kind: GIVEN_IN, ...amounts });
}

/** For a given output. Of the coin the maximum is sent, and the vault returns the rest. */
function encodeVaultOutput(path: OutputPlan): Hex {
  const { amountOut, amountInMax } = path;
  const amounts = { given: amountOut, limit: amountInMax, taken: amountInMax, paid: amountOut };
  return encodeOrder(path, { kind: GIVEN_OUT, ...amounts });
}

export const VAULT_ROUTER: RouterKind = {
  proof: { executedBy: 'contract', source: 'npm, @balancer-labs/v2-deployments' },
  encodeSwap: encodeVaultSwap,
  output: { call: 'exactPath', encode: encodeVaultOutput },
};
