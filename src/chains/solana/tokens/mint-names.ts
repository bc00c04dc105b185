// Names and decimals of mints. Balance rows of transactions have the decimals, too: a token has
// them although no endpoint serves its mint yet, or any more.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Address } from '../../../model/ids.ts';
import type { TokenMetadata } from '../../../model/token-metadata.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { readMintMetadata } from './read-mints.ts';

const SEEN_MAX = 200_000;
const DECIMALS_MAX = 255;

interface SeenMint {
  readonly decimals: number;
  /** Where it was seen first: an endpoint that is not there yet may not have it. */
  readonly slot: number;
}

export class MintNames {
  readonly #client: RpcClient;
  readonly #seen = new BoundedMap<string, SeenMint>(SEEN_MAX);

  constructor(client: RpcClient) {
    this.#client = client;
  }

  /** Remembers the decimals of the mints that a transaction names. */
  note({ meta }: RawTransaction, slot: number): void {
    for (const rows of [meta?.preTokenBalances, meta?.postTokenBalances]) {
      for (const { mint, uiTokenAmount } of rows ?? []) {
        // Malformed rows are refused where the balances are read.
        const decimals = uiTokenAmount?.decimals;
        if (decimals === undefined || this.#seen.has(mint)) continue;
        if (!Number.isInteger(decimals) || decimals < 0 || decimals > DECIMALS_MAX) continue;
        this.#seen.set(mint, { decimals, slot });
      }
    }
  }

  async read(tokens: readonly Address[], signal?: AbortSignal): Promise<TokenMetadata[]> {
    const metadata = await this.#readMints(tokens, signal);
    return metadata.map((one) => ({
      ...one,
      decimals: one.decimals ?? this.#seen.get(one.token)?.decimals ?? null,
    }));
  }

  async #readMints(tokens: readonly Address[], signal?: AbortSignal): Promise<TokenMetadata[]> {
    const query = (of: readonly Address[]) => ({
      tokens: of,
      minSlot: Math.max(0, ...of.map((token) => this.#seen.get(token)?.slot ?? 0)),
    });
    try {
      const read = await this.#client.at((node) => readMintMetadata(node, query(tokens), signal), {
        signal,
      });
      const missing = read.filter(({ decimals }) => decimals === null).map(({ token }) => token);
      if (missing.length === 0 || this.#client.endpoints.length === 1) return read;
      // One endpoint alone cannot hide a mint.
      const others = await this.#client.atEach(
        (node) => readMintMetadata(node, query(missing), signal),
        signal,
      );
      const found = new Map(
        others
          .flatMap(({ value }) => value)
          .flatMap((one) => (one.decimals === null ? [] : [[one.token, one]])),
      );
      return read.map((one) => found.get(one.token) ?? one);
    } catch (error) {
      // Blocks do not wait for names: those are read again later.
      if (!isRpcError(error, 'unavailable')) throw error;
      if (!tokens.every((token) => this.#seen.has(token))) throw error;
      return tokens.map((token) => ({ token, name: null, symbol: null, decimals: null }));
    }
  }
}
