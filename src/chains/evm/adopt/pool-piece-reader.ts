// Reads pieces of pools' states at one block. Nodes that support block hashes (EIP-1898) are asked
// by hash, so that the reply cannot be of another branch; others by number, and then the hash of
// that block is checked.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { PoolPiece, PoolPieceQuery, PoolPieceReading } from '../../adapter.ts';
import type { EvmDeployment } from '../evm-deployment.ts';
import { callContracts } from '../multicall.ts';
import { readHeader } from '../read-header.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { isRpcError } from '../rpc/rpc-error.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import type { CallContracts, VenueProtocol } from '../venues/venue-protocol.ts';

type BlockReference = Pick<BlockHeader, 'position' | 'hash'>;

/** Words of the tick bitmap in one piece, if many fit into a call. */
const WORD_COUNT_MAX = 180;

/** The errors of nodes that do not support block hashes. */
const HASH_REFUSALS = ['rejected', 'unsupported'] as const;

export class PoolPieceReader {
  readonly #client: RpcClient;
  readonly #deployment: EvmDeployment;
  #takesHashes = true;

  constructor(client: RpcClient, deployment: EvmDeployment) {
    this.#client = client;
    this.#deployment = deployment;
  }

  async read(
    query: PoolPieceQuery,
    block: BlockReference,
    signal?: AbortSignal,
  ): Promise<PoolPieceReading> {
    let callCount = 0;
    const onCalls = (count: number) => {
      callCount += count;
    };
    try {
      const piece = await this.#readAt(query, { block, onCalls, signal });
      if (piece === 'blockGone') return { kind: 'blockGone', callCount };
      return piece === null ? { kind: 'noAnswer', callCount } : { kind: 'piece', piece, callCount };
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return { kind: 'blockGone', callCount };
      throw error;
    }
  }

  async #readAt(
    query: PoolPieceQuery,
    at: {
      readonly block: BlockReference;
      readonly onCalls: (count: number) => void;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<PoolPiece | null | 'blockGone'> {
    const { onCalls, signal } = at;
    const { multicall3 } = this.#deployment;
    const { position, hash } = at.block;
    const options = { client: this.#client, multicall3, block: position, onCalls, signal };
    if (this.#takesHashes) {
      try {
        const byHash = { ...options, blockHash: hash };
        return await this.#readPiece(query, (calls) => callContracts(calls, byHash));
      } catch (error) {
        if (!isRpcError(error, ...HASH_REFUSALS)) throw error;
        this.#takesHashes = false;
      }
    }
    const piece = await this.#readPiece(query, (calls) => callContracts(calls, options));
    onCalls(1);
    const header = await readHeader(this.#client, position, signal);
    return header?.hash === hash ? piece : 'blockGone';
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
    return VENUE_PROTOCOLS.find((one) => one.listVenues(this.#deployment).includes(venue));
  }
}
