// Finds where a token stores a wallet's balance: the node lists which words the contract reads, and
// each is tried.

import { keccak256 } from 'viem/utils';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { parseEvmAddress } from '../data/evm-ids.ts';
import { addressWord, encodeCallData, toQuantity, uintWord } from '../data/hex-data.ts';

interface StorageSlot {
  /** The token itself, or the contract that stores its balances. */
  readonly account: Address;
  readonly slot: string;
}

interface SlotQuery {
  readonly token: Address;
  readonly owner: Address;
  readonly block: number;
  readonly signal?: AbortSignal | undefined;
}

const BALANCE_OF = '0x70a08231';
/** No token reads more words for one balance. */
const CANDIDATES_MAX = 24;
/** Where compilers put the mapping of most tokens, for nodes without access lists. */
const USUAL_POSITIONS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 51, 101];
const KNOWN_MAX = 10_000;
/** A value that no real balance has. */
const MARK = uintWord(0x6d696e74776972652062616c616e6365n);
const SLOT = /^0x[0-9a-f]{64}$/i;
const CALL_GAS = '0x1e8480';

/** A node may not support the method, or reject the call: then the usual slots are tried. */
const NO_ANSWER = ['unsupported', 'rejected', 'reverted', 'stateUnavailable'] as const;

function buildRead({ token, owner }: SlotQuery) {
  return { to: token, data: encodeCallData(BALANCE_OF, addressWord(owner)), gas: CALL_GAS };
}

function parseAccessList(value: unknown): StorageSlot[] {
  const list: unknown = (value as { accessList?: unknown } | null)?.accessList;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: { address?: unknown; storageKeys?: unknown }) => {
    const { address, storageKeys } = entry ?? {};
    const account = typeof address === 'string' ? parseEvmAddress(address) : null;
    if (account === null) return [];
    const keys = Array.isArray(storageKeys) ? storageKeys : [];
    return keys
      .filter((slot): slot is string => typeof slot === 'string' && SLOT.test(slot))
      .map((slot) => ({ account, slot: slot.toLowerCase() }));
  });
}

function listUsualSlots({ token, owner }: SlotQuery): StorageSlot[] {
  return USUAL_POSITIONS.map((position) => ({
    account: token,
    slot: keccak256(`0x${addressWord(owner)}${uintWord(position)}`),
  }));
}

export class TokenBalanceSlots {
  readonly #client: RpcClient;
  readonly #known = new BoundedMap<string, StorageSlot>(KNOWN_MAX);

  constructor(client: RpcClient) {
    this.#client = client;
  }

  /** Null if the balance is not a plain word, or the node cannot find it. */
  async find(query: SlotQuery): Promise<StorageSlot | null> {
    const key = `${query.token} ${query.owner}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const read = await this.#listRead(query);
    const found =
      (await this.#tryOut(query, read)) ?? (await this.#tryOut(query, listUsualSlots(query)));
    // A failed search is not cached: another node may find it.
    if (found !== null) this.#known.set(key, found);
    return found;
  }

  async #listRead(query: SlotQuery): Promise<StorageSlot[]> {
    const { owner, block, signal } = query;
    // Some nodes include the sender in the list, so it must not be the token.
    const params = [{ ...buildRead(query), from: owner }, toQuantity(block)];
    try {
      const call: RpcCall = { method: 'eth_createAccessList', params };
      const list = await this.#client.request(call, { signal, minBlock: block });
      return parseAccessList(list).slice(0, CANDIDATES_MAX);
    } catch (error) {
      if (isRpcError(error, ...NO_ANSWER)) return [];
      throw error;
    }
  }

  /** The first word whose change changes the balance. */
  async #tryOut(query: SlotQuery, candidates: readonly StorageSlot[]): Promise<StorageSlot | null> {
    const { block, signal } = query;
    if (candidates.length === 0) return null;
    const calls = candidates.map(({ account, slot }): RpcCall => {
      const overrides = { [account]: { stateDiff: { [slot]: `0x${MARK}` } } };
      return { method: 'eth_call', params: [buildRead(query), toQuantity(block), overrides] };
    });
    const outcomes = await this.#client.at((endpoint) => endpoint.batch(calls, { signal }), {
      signal,
      minBlock: block,
    });
    const index = outcomes.findIndex(
      (outcome) =>
        outcome.ok && typeof outcome.result === 'string' && outcome.result.slice(2) === MARK,
    );
    return candidates[index] ?? null;
  }
}
