// Fills blocks with transactions of wallets without keys, in a fixed order, at a fixed time.

import type { Address, Hex } from 'viem';
import type { DevnetRpcCall, JsonRpc } from './json-rpc.ts';

export interface TxRequest {
  readonly from: Address;
  /** Absent for a contract's creation. */
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas: bigint;
}

const MAX_FEE_PER_GAS = 100_000_000_000n;
const PRIORITY_FEE_PER_GAS = 1_000_000n;
/** A little below the node's limit, because its own transactions may share the block. */
const BLOCK_GAS_MAX = 58_000_000n;

export function toHexQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

export interface BlockWriter {
  /** Adds to a later block; nonces are counted here, so no request is needed. */
  queue(tx: TxRequest): void;
  readonly queuedCount: number;
  /** The nonce of the next transaction that the wallet queues. */
  nonceOf(address: Address): number;
  /**
   * Mines one block with as much of the queue as fits, in order. The time is in seconds; by default
   * it is the node's clock.
   */
  mine(timestamp?: number): Promise<readonly Hex[]>;
}

interface QueuedTx extends TxRequest {
  readonly nonce: number;
}

/** `nonces` of wallets that have sent before; any other starts at 0. */
export function createBlockWriter(rpc: JsonRpc, nonces = new Map<Address, number>()): BlockWriter {
  let queued: QueuedTx[] = [];

  function takeBlock(): QueuedTx[] {
    let gas = 0n;
    const count = queued.findIndex((tx) => {
      gas += tx.gas;
      return gas > BLOCK_GAS_MAX;
    });
    const block = count === -1 ? queued : queued.slice(0, count);
    queued = count === -1 ? [] : queued.slice(count);
    return block;
  }

  function sendAll(txs: readonly QueuedTx[]): Promise<readonly Hex[]> {
    return rpc.batch<Hex>(
      // A batch is executed concurrently, but a block is ordered by fee, so the fee sets the order.
      txs.map((tx, index) =>
        buildSendCall(tx, {
          nonce: tx.nonce,
          maxFeePerGas: MAX_FEE_PER_GAS + BigInt(txs.length - index),
        }),
      ),
    );
  }

  return {
    queue(tx) {
      const nonce = nonces.get(tx.from) ?? 0;
      nonces.set(tx.from, nonce + 1);
      queued.push({ ...tx, nonce });
    },
    get queuedCount() {
      return queued.length;
    },
    nonceOf: (address) => nonces.get(address) ?? 0,
    async mine(timestamp) {
      const hashes = await sendAll(takeBlock());
      await rpc.call('evm_mine', ...(timestamp === undefined ? [] : [{ timestamp }]));
      return hashes;
    },
  };
}

export interface SendTerms {
  /** Counted by the node by default. */
  readonly nonce?: number;
  /** Blocks are ordered by it; equal ones by arrival. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

export function buildSendCall(tx: TxRequest, terms: SendTerms = {}): DevnetRpcCall {
  const params = {
    from: tx.from,
    ...(tx.to === undefined ? {} : { to: tx.to }),
    ...(tx.data === undefined ? {} : { input: tx.data }),
    value: toHexQuantity(tx.value ?? 0n),
    gas: toHexQuantity(tx.gas),
    ...(terms.nonce === undefined ? {} : { nonce: toHexQuantity(terms.nonce) }),
    maxFeePerGas: toHexQuantity(terms.maxFeePerGas ?? MAX_FEE_PER_GAS),
    maxPriorityFeePerGas: toHexQuantity(terms.maxPriorityFeePerGas ?? PRIORITY_FEE_PER_GAS),
  };
  return { method: 'eth_sendTransaction', params: [params] };
}
