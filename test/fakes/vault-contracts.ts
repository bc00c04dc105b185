// What Balancer's vault, a weighted pool and its factory answer, from a table of their state.

import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem';
import type { Address } from '../../src/model/ids.ts';

const ABI = parseAbi([
  'function getPoolTokens(bytes32 poolId)',
  'function getPoolId()',
  'function isPoolFromFactory(address pool)',
  'function getNormalizedWeights()',
  'function getSwapFeePercentage()',
  'function getPausedState()',
  'function decimals()',
]);

export interface VaultPool {
  readonly contract: Address;
  readonly vault: Address;
  /** Null for a pool that is not weighted, or that no factory knows. */
  readonly factory: Address | null;
  readonly tokens: readonly Address[];
  readonly balances: readonly bigint[];
  readonly decimals: readonly number[];
  readonly weights: readonly bigint[];
  readonly swapFee: bigint;
  readonly isPaused?: boolean;
  readonly isVaultPaused?: boolean;
}

/** The pool's word: its contract, how it keeps balances, and its number. */
export function toPoolWord(contract: Address, number = 7): `0x${string}` {
  return `${contract}0002${number.toString(16).padStart(20, '0')}` as `0x${string}`;
}

function call(to: Address, functionName: string, ...args: readonly unknown[]): string {
  return `${to} ${encodeFunctionData({ abi: ABI, functionName, args } as never)}`;
}

function encode(types: readonly string[], values: readonly unknown[]): string {
  return encodeAbiParameters(types.map((type) => ({ type })) as never, values as never);
}

function encodePaused(isPaused = false): string {
  return encode(['bool', 'uint256', 'uint256'], [isPaused, 1n, 2n]);
}

/** By address and call data. */
export function listVaultAnswers(pool: VaultPool): Map<string, string> {
  const { contract, vault, factory, tokens, balances, decimals, weights, swapFee } = pool;
  const word = toPoolWord(contract);
  return new Map([
    [
      call(vault, 'getPoolTokens', word),
      encode(['address[]', 'uint256[]', 'uint256'], [tokens, balances, 1n]),
    ],
    [call(contract, 'getPoolId'), word],
    [call(contract, 'getNormalizedWeights'), encode(['uint256[]'], [weights])],
    [call(contract, 'getSwapFeePercentage'), encode(['uint256'], [swapFee])],
    [call(contract, 'getPausedState'), encodePaused(pool.isPaused)],
    [call(vault, 'getPausedState'), encodePaused(pool.isVaultPaused)],
    ...tokens.map((token, index): [string, string] => [
      call(token, 'decimals'),
      encode(['uint8'], [decimals[index]]),
    ]),
    ...(factory === null ? [] : [factory]).map((one): [string, string] => [
      call(one, 'isPoolFromFactory', contract),
      encode(['bool'], [true]),
    ]),
  ]);
}
