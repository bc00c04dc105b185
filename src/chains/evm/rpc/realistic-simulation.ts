// What contracts can see of the block, the sender and the code that run them. A token that trades
// only in simulations tells them apart by it, so a simulation shows what a real transaction would.

import { randomBytes, randomInt } from 'node:crypto';
import type { Address } from '../../../model/ids.ts';
import { evmAddress } from '../data/evm-ids.ts';

/** Of a real block. */
export interface BlockConditions {
  readonly baseFeePerGas: bigint;
  readonly feeRecipient: string;
  readonly gasLimit: bigint;
}

const QUANTITY = /^0x[0-9a-f]{1,32}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** From a node's block object; null if a field is missing. */
export function parseConditions(block: unknown): BlockConditions | null {
  const { miner, gasLimit, baseFeePerGas } = (block ?? {}) as Record<string, unknown>;
  const isRecipient = typeof miner === 'string' && ADDRESS.test(miner);
  if (!isRecipient || typeof gasLimit !== 'string' || !QUANTITY.test(gasLimit)) return null;
  const isPriced = typeof baseFeePerGas === 'string' && QUANTITY.test(baseFeePerGas);
  return {
    feeRecipient: miner,
    gasLimit: BigInt(gasLimit),
    baseFeePerGas: isPriced ? BigInt(baseFeePerGas) : 0n,
  };
}

/** As `blockOverrides` of `eth_simulateV1`. */
export function encodeConditions(conditions: BlockConditions | null): object {
  if (conditions === null) return {};
  const { baseFeePerGas, feeRecipient, gasLimit } = conditions;
  return {
    feeRecipient,
    // Nobody knows that of the next block; nodes would show zero.
    prevRandao: `0x${randomBytes(32).toString('hex')}`,
    gasLimit: `0x${gasLimit.toString(16)}`,
    baseFeePerGas: `0x${baseFeePerGas.toString(16)}`,
  };
}

/** New each time, so that nobody can prepare a contract for it. */
export function createRandomAddress(): Address {
  return evmAddress(`0x${randomBytes(20).toString('hex')}`);
}

/** Random bytes after the code, which are never run: its hash and length are new each time. */
export function disguiseCode(code: string): string {
  return `${code}fe${randomBytes(randomInt(16, 64)).toString('hex')}`;
}

/** A wallet that has been used: what it needs, up to three coins of change, and a nonce. */
export function createAccountOverride(neededRaw: bigint): { balance: string; nonce: string } {
  const change = BigInt(randomInt(1, 3_000_000)) * 10n ** 12n + BigInt(randomInt(1, 10 ** 12));
  return {
    balance: `0x${(neededRaw + change).toString(16)}`,
    nonce: `0x${randomInt(3, 400).toString(16)}`,
  };
}
