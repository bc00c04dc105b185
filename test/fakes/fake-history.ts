// The history of a fake chain, as backfill reads it: a bounded number of blocks at a time.

import type {
  ChainHistory,
  HistoryBlock,
  HistoryLog,
  PoolEventsQuery,
  PoolEventsReading,
  TransfersQuery,
  TransfersReading,
} from '../../src/chains/chain-history.ts';
import type { BlockEvents } from '../../src/model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../src/model/ids.ts';
import type { FakeChain } from './fake-chain.ts';

interface FakeHistoryOptions {
  readonly findChain: () => FakeChain;
  readonly beforeRequest: (method: string) => void;
}

/** The swaps of the pools, and every other swap of the same transactions. */
function pickLogs(block: BlockEvents, query: PoolEventsQuery): HistoryLog[] {
  const pools = new Set<PoolId>(query.pools.map(({ pool }) => pool));
  const transactions = new Set<TransactionId>();
  for (const event of block.events) {
    if (event.kind === 'swap' && pools.has(event.pool)) transactions.add(event.txHash);
  }
  return block.events.flatMap((event, logIndex): HistoryLog[] => {
    if (event.kind === 'transfer' || event.kind === 'poolCreated') return [];
    const isCounted =
      query.detail === 'trades' && event.kind === 'swap' && transactions.has(event.txHash);
    return pools.has(event.pool) || isCounted ? [{ logIndex, events: [event] }] : [];
  });
}

export class FakeHistory implements ChainHistory {
  readonly #options: FakeHistoryOptions;
  /** How many positions one reading covers. */
  span = 5_000;
  /** Whether the node has old states. */
  isArchive = true;

  constructor(options: FakeHistoryOptions) {
    this.#options = options;
  }

  async readPoolEvents(query: PoolEventsQuery): Promise<PoolEventsReading> {
    this.#options.beforeRequest('readPoolEvents');
    const chain = this.#options.findChain();
    if (query.toBlock > chain.finalized) throw new Error('a block that is not final');
    const fromBlock = Math.max(query.fromBlock, query.toBlock - this.span + 1);
    const blocks = chain.blocks(fromBlock, query.toBlock).map((block): HistoryBlock => {
      const { header } = block;
      const timestampMs = query.detail === 'trades' ? header.timestampMs : 0;
      return { header: { ...header, timestampMs }, logs: pickLogs(block, query) };
    });
    return { blocks: blocks.filter(({ logs }) => logs.length > 0), fromBlock, callCount: 1 };
  }

  async readTransfers(query: TransfersQuery): Promise<TransfersReading> {
    this.#options.beforeRequest('readTransfers');
    const chain = this.#options.findChain();
    const toBlock = Math.min(query.toBlock, query.fromBlock + this.span - 1);
    const transfers = chain
      .blocks(query.fromBlock, toBlock)
      .flatMap(({ header, events }) =>
        events.flatMap((event) =>
          event.kind === 'transfer' && event.token === query.token
            ? [{ block: header.position, event }]
            : [],
        ),
      );
    return { transfers, toBlock, callCount: 1 };
  }

  /** The first block that mentions it. */
  async findFirstBlock(contract: Address, toBlock: number) {
    this.#options.beforeRequest('findFirstBlock');
    if (!this.isArchive) return { block: null, callCount: 1 };
    const isMentioned = ({ events }: BlockEvents) =>
      events.some((event) =>
        event.kind === 'transfer'
          ? event.token === contract
          : event.kind === 'poolCreated'
            ? [
                event.description.vault,
                event.description.token0,
                event.description.token1,
              ].includes(contract)
            : false,
      );
    const first = this.#options.findChain().blocks(0, toBlock).find(isMentioned);
    return { block: first?.header.position ?? toBlock + 1, callCount: 20 };
  }
}
