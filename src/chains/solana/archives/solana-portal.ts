// Blocks of Solana from SQD Portal, without votes: whole, or the transactions of some accounts.

import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveRange, ArchiveSource } from '../../archives/archive-sources.ts';
import { PortalClient } from '../../archives/portal-client.ts';
import {
  PORTAL_FIELDS,
  type PortalBlock,
  PortalBlockError,
  parsePortalBlock,
} from './portal-block.ts';

/** The Portal answers with less at once anyway. */
const RANGE_MAX = 10_000;
/**
 * The accounts of an instruction that the Portal filters exactly. `mentionsAccount` has the others,
 * but by a Bloom filter, at ten accounts, and of a year it would bring more than it leaves out.
 */
export const FILTERED_PLACES = 16;
/** In each of those places; a request has 256 KiB at most. */
export const FILTERED_ACCOUNTS_MAX = 300;
/** With an instruction comes its transaction, but for the lines of other calls in its log. */
const WITH_TRANSACTION = {
  ...{ transaction: true, transactionInstructions: true, logs: true },
  ...{ transactionBalances: true, transactionTokenBalances: true },
};
const SILENCE_MS = 30_000;

export class SolanaPortal implements ArchiveSource<PortalBlock> {
  readonly #client: PortalClient;

  constructor(url: string) {
    this.#client = new PortalClient({ url, silenceMs: SILENCE_MS });
  }

  /** Safe to show. */
  get name(): string {
    return this.#client.name;
  }

  close(): void {
    this.#client.close();
  }

  async *read(
    { fromBlock, toBlock }: ArchiveRange,
    signal: AbortSignal,
  ): AsyncGenerator<PortalBlock, void> {
    const range = { fromBlock, toBlock: Math.min(toBlock, fromBlock + RANGE_MAX - 1) };
    yield* this.#stream(
      {
        ...range,
        includeAllBlocks: true,
        transactions: [{}],
        instructions: [{}],
        logs: [{}],
        balances: [{}],
        tokenBalances: [{}],
      },
      signal,
    );
  }

  /**
   * What succeeded and names one of the accounts. Of blocks without it there is the first and the
   * last of what was searched, at least.
   */
  async *readFiltered(
    { fromBlock, toBlock }: ArchiveRange,
    accounts: Iterable<string>,
    signal: AbortSignal,
  ): AsyncGenerator<PortalBlock, void> {
    const named = [...accounts];
    const instructions = Array.from({ length: FILTERED_PLACES }, (_, place) => ({
      ...{ [`a${place}`]: named, isCommitted: true },
      ...WITH_TRANSACTION,
    }));
    yield* this.#stream({ fromBlock, toBlock, instructions }, signal);
  }

  async *#stream(asked: object, signal: AbortSignal): AsyncGenerator<PortalBlock, void> {
    const query = { type: 'solana', fields: PORTAL_FIELDS, ...asked };
    for await (const line of this.#client.readFinal(query, signal)) {
      try {
        yield parsePortalBlock(line);
      } catch (error) {
        if (!(error instanceof PortalBlockError)) throw error;
        throw new ArchiveError('wrong', `${this.name}: ${error.message}`);
      }
    }
  }
}
