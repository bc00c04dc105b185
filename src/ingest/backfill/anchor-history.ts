// The events of the chain's anchor pools around the trades that they price: those of the trades'
// own blocks, and the last one before.
//
// An anchor is the busiest pool of its chain, so its whole history is never read: only the blocks
// near trades are, further back where it was quiet.

import type { HistoryBlock } from '../../chains/chain-history.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { HistorySource } from './history-source.ts';

/** Trades closer than this share one reading. */
const CLUSTER_BLOCKS = 128;
const LOOKBACK_BLOCKS = 32;
const LOOKBACK_GROWTH = 8;

interface Cluster {
  readonly fromBlock: number;
  readonly toBlock: number;
}

function clusterBlocks(blocks: readonly number[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const block of blocks) {
    const last = clusters.at(-1);
    if (last !== undefined && block - last.toBlock <= CLUSTER_BLOCKS) {
      clusters[clusters.length - 1] = { ...last, toBlock: block };
    } else {
      clusters.push({ fromBlock: block, toBlock: block });
    }
  }
  return clusters;
}

export class AnchorHistory {
  readonly #source: HistorySource;
  /** Blocks before which an anchor has no event. */
  readonly #floors = new Map<PoolId, number>();

  constructor(source: HistorySource) {
    this.#source = source;
  }

  /**
   * What prices the trades of these blocks, ascending. Anchors are best first; the next one is read
   * only where the ones before it did not exist yet.
   */
  async read(blocks: readonly number[], anchors: readonly PoolRecord[]): Promise<HistoryBlock[]> {
    const read: HistoryBlock[] = [];
    let clusters = clusterBlocks(blocks);
    for (const anchor of anchors) {
      const unpriced: Cluster[] = [];
      for (const cluster of clusters) {
        const found = await this.#readCluster(anchor, cluster);
        read.push(...found);
        const isPriced = found.some(({ header }) => header.position < cluster.fromBlock);
        if (!isPriced) unpriced.push(cluster);
      }
      clusters = unpriced;
      if (clusters.length === 0) break;
    }
    return read;
  }

  async #readCluster(anchor: PoolRecord, cluster: Cluster): Promise<HistoryBlock[]> {
    const floor = await this.#findFloor(anchor, cluster.toBlock);
    const { fromBlock, toBlock } = cluster;
    if (toBlock < floor) return [];
    const found: HistoryBlock[] = [];
    let lookback = LOOKBACK_BLOCKS;
    let low = Math.max(floor, fromBlock - lookback);
    found.push(...(await this.#readAll(anchor, { fromBlock: low, toBlock })));
    while (low > floor && !found.some(({ header }) => header.position < fromBlock)) {
      lookback *= LOOKBACK_GROWTH;
      const next = Math.max(floor, low - lookback);
      found.push(...(await this.#readAll(anchor, { fromBlock: next, toBlock: low - 1 })));
      low = next;
    }
    const first = found.reduce((min, { header }) => Math.min(min, header.position), toBlock + 1);
    // Nothing down to the floor: nothing before the first event either.
    if (low === floor && first >= fromBlock) this.#floors.set(anchor.pool, first);
    return found;
  }

  async #findFloor(anchor: PoolRecord, toBlock: number): Promise<number> {
    const known = this.#floors.get(anchor.pool);
    if (known !== undefined) return known;
    const floor = (await this.#source.findFirstBlock(anchor.vault, toBlock)) ?? 0;
    this.#floors.set(anchor.pool, floor);
    return floor;
  }

  async #readAll(anchor: PoolRecord, range: Cluster): Promise<HistoryBlock[]> {
    const found: HistoryBlock[] = [];
    let { toBlock } = range;
    while (toBlock >= range.fromBlock) {
      const reading = await this.#source.readPoolEvents({
        ...{ pools: [anchor], fromBlock: range.fromBlock, toBlock, detail: 'states' },
      });
      found.push(...reading.blocks);
      toBlock = reading.fromBlock - 1;
    }
    return found;
  }
}
