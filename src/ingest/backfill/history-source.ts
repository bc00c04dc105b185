// A chain's history, read within a budget of calls.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type {
  PoolEventsQuery,
  PoolEventsReading,
  TransfersQuery,
  TransfersReading,
} from '../../chains/chain-history.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolKindName, PoolRecord, StateOf } from '../../model/pool.ts';
import type { CallBudget } from '../read/call-budget.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';

export class HistorySource {
  readonly adapter: ChainAdapter;
  readonly #budget: CallBudget | null;
  readonly #signal: AbortSignal;

  /** Without a budget there is no limit. */
  constructor(adapter: ChainAdapter, budget: CallBudget | null, signal: AbortSignal) {
    this.adapter = adapter;
    this.#budget = budget;
    this.#signal = signal;
  }

  async readPoolEvents(query: PoolEventsQuery): Promise<PoolEventsReading> {
    await this.#budget?.wait(this.#signal);
    const reading = await this.#history.readPoolEvents(query, this.#signal);
    this.#budget?.spend(reading.callCount);
    return reading;
  }

  async readTransfers(query: TransfersQuery): Promise<TransfersReading> {
    await this.#budget?.wait(this.#signal);
    const reading = await this.#history.readTransfers(query, this.#signal);
    this.#budget?.spend(reading.callCount);
    return reading;
  }

  /** The first block of a contract; null if that cannot be found out. */
  async findFirstBlock(contract: Address, toBlock: number): Promise<number | null> {
    await this.#budget?.wait(this.#signal);
    const { block, callCount } = await this.#history.findFirstBlock(
      contract,
      toBlock,
      this.#signal,
    );
    this.#budget?.spend(callCount);
    return block;
  }

  /** What contracts said at the end of a block; pools without an answer are absent. */
  async readPoolStates(
    pools: readonly PoolRecord[],
    block: number,
  ): Promise<ReadonlyMap<PoolId, Partial<StateOf<PoolKindName>>>> {
    if (this.adapter.readPoolStates === undefined) return new Map();
    const header = await this.readHeader(block);
    const queries = pools.map((description) => ({ description, ticks: [] }));
    const readings = await this.adapter.readPoolStates(queries, header, this.#signal);
    this.#budget?.spend(1 + pools.length);
    return new Map(readings.map(({ pool, state }) => [pool, state]));
  }

  async readHeader(position: number): Promise<BlockHeader> {
    await this.#budget?.wait(this.#signal);
    const header = await this.adapter.readHeader(position, this.#signal);
    this.#budget?.spend(1);
    if (header !== null) return header;
    throw new ChainInconsistentError(`the chain's source has no block ${position}`);
  }

  get #history() {
    const { history } = this.adapter;
    if (history === undefined) throw new Error(`${this.adapter.chain} has no history to read`);
    return history;
  }
}
