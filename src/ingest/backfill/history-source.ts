// A chain's history, read within a budget of calls.

import type { ChainAdapter, HoldersReading, OwnersReading } from '../../chains/adapter.ts';
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
    return await this.#pay(() => this.#history.readPoolEvents(query, this.#signal));
  }

  async readTransfers(query: TransfersQuery): Promise<TransfersReading> {
    return await this.#pay(() => this.#history.readTransfers(query, this.#signal));
  }

  /** The first block of a contract; null if that cannot be found out. */
  async findFirstBlock(contract: Address, toBlock: number): Promise<number | null> {
    const find = () => this.#history.findFirstBlock(contract, toBlock, this.#signal);
    return (await this.#pay(find)).block;
  }

  /** All holders of a token now, at or after a block. */
  async readHolders(query: {
    readonly token: Address;
    readonly minBlock: number;
  }): Promise<HoldersReading> {
    const { readHolders, chain } = this.adapter;
    if (readHolders === undefined) throw new Error(`${chain} does not list holders`);
    return await this.#pay(() => readHolders.call(this.adapter, query, this.#signal));
  }

  /** What owners hold of a token now, at or after a block, as every node says. */
  async readHeldNow(query: {
    readonly token: Address;
    readonly owners: readonly Address[];
    readonly minBlock: number;
  }): Promise<OwnersReading> {
    const { readHeldNow, chain } = this.adapter;
    if (readHeldNow === undefined) throw new Error(`${chain} does not read holders again`);
    return await this.#pay(() => readHeldNow.call(this.adapter, query, this.#signal));
  }

  /** What contracts said at the end of a block; pools without an answer are absent. */
  async readPoolStates(
    pools: readonly PoolRecord[],
    block: number,
  ): Promise<ReadonlyMap<PoolId, Partial<StateOf<PoolKindName>>>> {
    const { readPoolStates } = this.adapter;
    if (readPoolStates === undefined) return new Map();
    const header = await this.readHeader(block);
    const queries = pools.map((description) => ({ description, ticks: [] }));
    const { readings } = await this.#pay(async () => ({
      readings: await readPoolStates.call(this.adapter, queries, header, this.#signal),
      callCount: pools.length,
    }));
    return new Map(readings.map(({ pool, state }) => [pool, state]));
  }

  async readHeader(position: number): Promise<BlockHeader> {
    const { header } = await this.#pay(async () => ({
      header: await this.adapter.readHeader(position, this.#signal),
      callCount: 1,
    }));
    if (header !== null) return header;
    throw new ChainInconsistentError(`the chain's source has no block ${position}`);
  }

  /** A request that fails was sent all the same, so the first call is paid for in advance. */
  async #pay<Result extends { readonly callCount: number }>(
    read: () => Promise<Result>,
  ): Promise<Result> {
    await this.#budget?.wait(this.#signal);
    this.#budget?.spend(1);
    const result = await read();
    this.#budget?.spend(Math.max(0, result.callCount - 1));
    return result;
  }

  get #history() {
    const { history } = this.adapter;
    if (history === undefined) throw new Error(`${this.adapter.chain} has no history to read`);
    return history;
  }
}
