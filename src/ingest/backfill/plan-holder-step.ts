// The steps of a job that sums up transfers, and then replaces the token's balances by the sums.
//
//   first transfer ──▶ final blocks, part by part, into balances of its own ──▶ the last final
//   block F ──▶ the journal's transfers from F to the last indexed block T ──▶ joined at T

import type { BackfillRecord } from '../../model/backfill.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import { type BackfillIndex, type BackfillStep, buildSettleStep } from './backfill-step.ts';
import type { HistorySource } from './history-source.ts';
import {
  addStoredTransfers,
  addTransfers,
  decodeSums,
  encodeSums,
  type JoinedHolders,
  NO_SUMS,
} from './holder-history.ts';
import type { PlacedTransfer, TransferJournal } from './transfer-journal.ts';

interface HolderStepsOptions {
  readonly source: HistorySource;
  readonly store: MarketReader;
  readonly journal: TransferJournal;
  /** Null if everything is indexed. */
  readonly scope?: Pick<ChainScope, 'findEntry'> | null | undefined;
  readonly onJoined: (token: Address) => void;
}

export class HolderSteps {
  readonly #options: HolderStepsOptions;

  constructor(options: HolderStepsOptions) {
    this.#options = options;
  }

  async plan(job: BackfillRecord, checkpoint: Checkpoint): Promise<BackfillStep | 'wait'> {
    if (job.joinBlock !== null) return buildSettleStep(job);
    if (job.memory === '') return await this.#begin(job);
    // The journal must reach back to the last block that was summed up.
    const { journal } = this.#options;
    const since = journal.findStart(job.token);
    if (since !== null && since < job.nextBlock) return this.#join(job);
    if (job.nextBlock <= checkpoint.finalizedBlock) {
      return await this.#readOn(job, checkpoint.finalizedBlock);
    }
    this.#watch(job.token);
    return 'wait';
  }

  /** The index reads no transfers of a token out of scope, so the journal would miss them. */
  #watch(token: Address): void {
    const { journal, scope } = this.#options;
    if (!scope || scope.findEntry(token)?.leftBlock === null) journal.watch(token);
  }

  async #begin(job: BackfillRecord): Promise<BackfillStep> {
    const { source } = this.#options;
    const { token, toBlock } = job;
    const fromBlock = (await source.findFirstBlock(token, toBlock)) ?? 0;
    if (fromBlock >= toBlock) {
      // It was created after the index began: nothing is missing.
      return this.#buildStep({ ...job, status: 'done', fromBlock: toBlock, fromMs: job.toMs });
    }
    const { timestampMs: fromMs } = await source.readHeader(fromBlock);
    const memory = encodeSums(NO_SUMS);
    const place = { fromBlock, fromMs, nextBlock: fromBlock, nextMs: fromMs };
    return this.#buildStep({ ...job, ...place, status: 'running', memory });
  }

  async #readOn(job: BackfillRecord, toBlock: number): Promise<BackfillStep | 'wait'> {
    const { source, store } = this.#options;
    const { chain, assets } = source.adapter;
    const { token, nextBlock: fromBlock } = job;
    const row = await this.#readToken(token);
    if (row === null) return 'wait';
    const reading = await source.readTransfers({ token, fromBlock, toBlock });
    const added = await addStoredTransfers(store, chain, {
      ...{ row, assets, sums: decodeSums(job.memory), transfers: reading.transfers },
    });
    const { firstBlock } = added.sums;
    const firstMs = added.sums.firstMs ?? (await this.#readTime(firstBlock));
    const memory = encodeSums({ ...added.sums, firstMs });
    const moved: BackfillRecord = {
      ...job,
      ...{ status: 'running', nextBlock: reading.toBlock + 1, memory },
    };
    return {
      commit: async (index) => {
        await index.commitBackfill({ token, jobs: [moved], balances: added.changed });
        // Blocks may become final as fast as they are read: the journal begins with the last part.
        if (reading.toBlock === toBlock) this.#watch(token);
        return [moved];
      },
    };
  }

  #join(job: BackfillRecord): BackfillStep {
    const { token } = job;
    return {
      commit: async (index) => {
        const { journal } = this.#options;
        const { checkpoint } = index;
        const transfers = journal.read(token, job.nextBlock - 1);
        if (checkpoint === null || transfers === null) return [job];
        const row = await this.#readToken(token);
        if (row === null) return [job];
        const holders = await this.#sumUp(job, row, transfers);
        const { block: joinBlock, timestampMs: nextMs } = checkpoint;
        const joined: BackfillRecord = { ...job, status: 'done', joinBlock, nextMs };
        await index.joinHolders(holders, { token, jobs: [joined] });
        journal.forget(token);
        this.#options.onJoined(token);
        return [joined];
      },
    };
  }

  /** All holders at the last indexed block: the sums so far, and the transfers since. */
  async #sumUp(
    job: BackfillRecord,
    row: TokenRecord,
    transfers: readonly PlacedTransfer[],
  ): Promise<JoinedHolders> {
    const { source, store } = this.#options;
    const { chain, assets } = source.adapter;
    const { token } = job;
    const stored = await store.readAllBackfillBalances(chain, token);
    const balances = new Map(stored.map(({ owner, amountRaw }) => [owner, amountRaw]));
    const sums = decodeSums(job.memory);
    const added = addTransfers(transfers, { assets, row, sums, balances: stored });
    for (const { owner, amountRaw } of added.changed) {
      if (amountRaw > 0n) balances.set(owner, amountRaw);
      else balances.delete(owner);
    }
    return { token, sums: added.sums, balances };
  }

  async #readTime(block: number | null): Promise<number | null> {
    if (block === null) return null;
    return (await this.#options.source.readHeader(block)).timestampMs;
  }

  #buildStep(job: BackfillRecord): BackfillStep {
    return {
      commit: async (index: BackfillIndex) => {
        await index.commitBackfill({ token: job.token, jobs: [job] });
        return [job];
      },
    };
  }

  /** Null while a rollback has removed it: it is found again. */
  async #readToken(token: Address): Promise<TokenRecord | null> {
    const { store, source } = this.#options;
    const [row] = await store.readTokens(source.adapter.chain, [token]);
    return row ?? null;
  }
}
