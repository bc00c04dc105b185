// A header's bloom filter covers the addresses and topics of its logs: with all the logs of a
// block, it shows whether any is missing or invented.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { EvmLog } from './evm-log.ts';
import { keccak } from './keccak.ts';

const BLOOM_BYTES = 256;
const REMEMBERED_MAX = 200_000;

/**
 * Three bit positions each; cached, because hashing dominates the cost and busy contracts repeat.
 */
const positions = new BoundedMap<string, readonly [number, number, number]>(REMEMBERED_MAX);

function computePositions(item: string): readonly [number, number, number] {
  const known = positions.get(item);
  if (known !== undefined) return known;
  const hash = keccak(Buffer.from(item.slice(2), 'hex'));
  const at = (index: number) => (((hash[index] ?? 0) << 8) | (hash[index + 1] ?? 0)) & 0x7ff;
  const fresh = [at(0), at(2), at(4)] as const;
  positions.set(item, fresh);
  return fresh;
}

function addItem(bloom: Uint8Array, item: string): void {
  for (const bit of computePositions(item)) {
    const byte = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
  }
}

export function computeLogsBloom(
  logs: readonly Pick<EvmLog, 'address' | 'topics'>[],
  bloom = new Uint8Array(BLOOM_BYTES),
): Uint8Array {
  for (const log of logs) {
    addItem(bloom, log.address);
    for (const topic of log.topics) addItem(bloom, topic);
  }
  return bloom;
}

export function parseBloom(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

/** Whether a log with this address or topic may be in the block; false is certain. */
export function bloomMayHave(bloom: Uint8Array, item: string): boolean {
  return computePositions(item).every((bit) => {
    const byte = bloom[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0;
    return (byte & (1 << (bit & 7))) !== 0;
  });
}

/** The part of the bits that are set. */
export function computeBloomShare(bloom: Uint8Array): number {
  let count = 0;
  for (const byte of bloom) {
    for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1;
  }
  return count / (BLOOM_BYTES * 8);
}

/** The result of comparing a block's logs with its header's bloom. */
type BloomVerdict = 'complete' | 'missing' | 'invented' | 'unknown';

/**
 * Compares all the logs of a block, not only those of some topics, with its header. Some nodes have
 * no bloom and return zeros: if there are logs, that proves nothing.
 */
export function judgeLogs(logs: readonly EvmLog[], header: Uint8Array): BloomVerdict {
  if (logs.length > 0 && header.every((byte) => byte === 0)) return 'unknown';
  const found = computeLogsBloom(logs);
  let invented = false;
  for (const [index, byte] of header.entries()) {
    const own = found[index] ?? 0;
    if ((byte & ~own) !== 0) return 'missing';
    invented ||= (own & ~byte) !== 0;
  }
  return invented ? 'invented' : 'complete';
}
