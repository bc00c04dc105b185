// Reads pieces of pools' states at one block.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { PoolPiece, PoolPieceQuery, PoolPieceReading } from '../../adapter.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { ReadStateAt } from '../rpc/create-read-at.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { ownsVenue } from '../venues/owns-venue.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { VenueProtocol } from '../venues/venue-protocol.ts';

/** Words of the tick bitmap in one piece, if many fit into a call. */
const WORD_COUNT_MAX = 180;

export class PoolPieceReader {
  readonly #readAt: ReadStateAt;
  readonly #deployment: EvmDeployment;

  constructor(readAt: ReadStateAt, deployment: EvmDeployment) {
    this.#readAt = readAt;
    this.#deployment = deployment;
  }

  async read(
    query: PoolPieceQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
    signal?: AbortSignal,
  ): Promise<PoolPieceReading> {
    let callCount = 0;
    const onCalls = (count: number) => {
      callCount += count;
    };
    const readPiece = (call: CallContracts) => this.#readPiece(query, call);
    const read = await this.#readAt(block, readPiece, { onCalls, signal });
    if (read === null) return { kind: 'blockGone', callCount };
    const { value: piece } = read;
    return piece === null ? { kind: 'noAnswer', callCount } : { kind: 'piece', piece, callCount };
  }

  async #readPiece(query: PoolPieceQuery, call: CallContracts): Promise<PoolPiece | null> {
    const protocol = this.#findProtocol(query.description.venue);
    if (protocol === undefined) return null;
    const wordCountMax = this.#computeWordCountMax(query);
    const context = { deployment: this.#deployment, callContracts: call };
    return await protocol.readPoolPiece({ ...query, wordCountMax }, context);
  }

  /** If every word and every tick is a separate call, half of the calls are for words. */
  #computeWordCountMax({ description, callCountMax }: PoolPieceQuery): number {
    const isSingleton =
      description.kind === 'concentrated' && description.terms.custody.kind === 'singleton';
    if (isSingleton || this.#deployment.multicall3 !== null) return WORD_COUNT_MAX;
    return Math.max(1, Math.min(WORD_COUNT_MAX, Math.floor(callCountMax / 2)));
  }

  #findProtocol(venue: string): VenueProtocol | undefined {
    return VENUE_PROTOCOLS.find((one) => ownsVenue(one, venue, this.#deployment));
  }
}
