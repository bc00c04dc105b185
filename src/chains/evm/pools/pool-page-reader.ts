// Reads pages of pools' states at one block.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { PoolPage, PoolPageQuery, PoolPageReading } from '../../adapter.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { ReadStateAt } from '../rpc/create-read-at.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { ownsVenue, VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { VenueProtocol } from '../venues/venue-protocol.ts';

/** Words of the tick bitmap in one page, if many fit into a call. */
const WORD_COUNT_MAX = 180;

export class PoolPageReader {
  readonly #readAt: ReadStateAt;
  readonly #deployment: EvmDeployment;

  constructor(readAt: ReadStateAt, deployment: EvmDeployment) {
    this.#readAt = readAt;
    this.#deployment = deployment;
  }

  async read(
    query: PoolPageQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
    signal?: AbortSignal,
  ): Promise<PoolPageReading> {
    let callCount = 0;
    const onCalls = (count: number) => {
      callCount += count;
    };
    const readPage = (call: CallContracts) => this.#readPage(query, call);
    const read = await this.#readAt(block, readPage, { onCalls, signal });
    if (read === null) return { kind: 'blockGone', callCount };
    const { value: page } = read;
    return page === null ? { kind: 'noAnswer', callCount } : { kind: 'page', page, callCount };
  }

  async #readPage(query: PoolPageQuery, call: CallContracts): Promise<PoolPage | null> {
    const protocol = this.#findProtocol(query.description.venue);
    if (protocol === undefined) return null;
    const wordCountMax = this.#computeWordCountMax(protocol, query);
    const context = { deployment: this.#deployment, callContracts: call };
    return await protocol.readPoolPage({ ...query, wordCountMax }, context);
  }

  /** If every word and every tick is a separate call, half of the calls are for words. */
  #computeWordCountMax({ readsInBulk }: VenueProtocol, { callCountMax }: PoolPageQuery): number {
    if (readsInBulk || this.#deployment.multicall3 !== null) return WORD_COUNT_MAX;
    return Math.max(1, Math.min(WORD_COUNT_MAX, Math.floor(callCountMax / 2)));
  }

  #findProtocol(venue: string): VenueProtocol | undefined {
    return VENUE_PROTOCOLS.find((one) => ownsVenue(one, venue, this.#deployment));
  }
}
