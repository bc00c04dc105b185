// Whole blocks of Solana from SQD Portal, without votes.

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
    const query = {
      ...{ type: 'solana', fromBlock, toBlock: Math.min(toBlock, fromBlock + RANGE_MAX - 1) },
      ...{ includeAllBlocks: true, fields: PORTAL_FIELDS },
      ...{
        transactions: [{}],
        instructions: [{}],
        logs: [{}],
        balances: [{}],
        tokenBalances: [{}],
      },
    };
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
