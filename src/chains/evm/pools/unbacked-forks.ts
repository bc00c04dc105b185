// Swaps of pools of unlisted factories that moved nothing. Nobody checked the code of such a pool:
// it may log any swap. A swap counts only if the transfers before it in its transaction cover both
// amounts at the pool. Each transferred unit counts once. The reserves logged with a swap that does
// not count are dropped as well.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { DecodedSwap, EvmLog } from '../data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
import type { DecodedLogs } from '../venues/log-decoding.ts';
import { isForkVenue, SWAP_PART_TOPICS } from '../venues/registry.ts';
import { NONE_UNBACKED, toPlaceKey, type UnbackedSwaps } from '../venues/unbacked-swaps.ts';

type FindPool = (pool: PoolId) => PoolDescription | undefined;

interface ForkSwap {
  readonly swap: DecodedSwap;
  readonly description: PoolDescription;
}

/** What contracts received and sent in each transaction, as far as no swap used it. */
class MovedTokens {
  readonly #received = new Map<string, bigint>();
  readonly #sent = new Map<string, bigint>();

  add({ address: token, txHash, topics, data }: EvmLog): void {
    if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3 || !hasWords(data, 1)) return;
    const [from, to] = [toTopicAddress(topics[1]), toTopicAddress(topics[2])];
    if (from === to) return;
    const amount = uintAt(data, 0);
    for (const [side, holder] of [
      [this.#sent, from],
      [this.#received, to],
    ] as const) {
      const key = `${txHash} ${token} ${holder}`;
      side.set(key, (side.get(key) ?? 0n) + amount);
    }
  }

  /** Uses up what a swap moved; false if less than that moved. */
  use({ swap, description }: ForkSwap): boolean {
    const legs = [
      this.#findLeg(swap, { token: description.token0, vault: description.vault }, swap.amount0),
      this.#findLeg(swap, { token: description.token1, vault: description.vault }, swap.amount1),
    ];
    if (legs.some(({ left }) => left < 0n)) return false;
    for (const { side, key, left } of legs) side.set(key, left);
    return true;
  }

  #findLeg(
    { txHash }: DecodedSwap,
    { token, vault }: { readonly token: Address; readonly vault: Address },
    amount: bigint,
  ) {
    const side = amount > 0n ? this.#received : this.#sent;
    const key = `${txHash} ${token} ${vault}`;
    const needed = amount > 0n ? amount : -amount;
    return { side, key, left: (side.get(key) ?? 0n) - needed };
  }
}

function listForkSwaps({ blocks }: DecodedLogs, findPool: FindPool): Map<string, ForkSwap> {
  const swaps = new Map<string, ForkSwap>();
  for (const { events } of blocks) {
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      const description = findPool(event.pool);
      if (description === undefined || !isForkVenue(description.venue)) continue;
      swaps.set(toPlaceKey(event), { swap: event, description });
    }
  }
  return swaps;
}

/** Takes all transfers of the transactions, in the order of the logs. */
export function findUnbackedForks(
  logs: readonly EvmLog[],
  decoded: DecodedLogs,
  findPool: FindPool,
): UnbackedSwaps {
  const swaps = listForkSwaps(decoded, findPool);
  if (swaps.size === 0) return NONE_UNBACKED;
  const hashes = new Set(Array.from(swaps.values(), ({ swap }) => swap.txHash));
  const moved = new MovedTokens();
  const unbacked = new Set<string>();
  for (const [index, log] of logs.entries()) {
    if (!hashes.has(log.txHash)) continue;
    moved.add(log);
    const swap = swaps.get(toPlaceKey(log));
    if (swap === undefined || moved.use(swap)) continue;
    unbacked.add(toPlaceKey(log));
    const before = logs[index - 1];
    const isPart = SWAP_PART_TOPICS.has(before?.topics[0] ?? '');
    if (before?.txHash === log.txHash && before.address === log.address && isPart) {
      unbacked.add(toPlaceKey(before));
    }
  }
  return unbacked;
}
