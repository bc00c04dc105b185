// The state of pools, from their accounts. Nodes have the present state only. For adoption it is
// read as of the slot that the node is at, which the index reaches later. For `verify` it is that
// of an earlier block if no later transaction used the pool.
//
// A node may name a slot that its accounts are not of. What it says of a pool at rest is therefore
// compared with the other endpoints; a pool that is traded is corrected by its next event.

import { kindOf } from '../../../amm/pool-kinds.ts';
import { encodeTransferFees } from '../../../amm/transfer-fee.ts';
import { joinFlags, type UncheckedFlag } from '../../../amm/unchecked-flag.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type {
  PoolPageQuery,
  PoolPageReading,
  PoolStateQuery,
  PoolStateReading,
} from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import { findLastUse, type SolanaAccount } from '../rpc/read-accounts.ts';
import { readBlockHash } from '../rpc/slot-blocks.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { findMintFlags } from '../tokens/mint-extensions.ts';
import { EPOCH_ACCOUNTS, readTransferFees } from '../tokens/mint-fees.ts';
import type { AccountReading } from '../tokens/pool-accounts.ts';
import { FEE_VENUES, KIND_FOLDS } from '../venues/solana-venues.ts';
import { type FoundPool, readPoolNow } from './read-pools.ts';

/** The state itself says which of its ticks were read. */
const EVERY_TICK = { lower: -(2 ** 31), upper: 2 ** 31 - 1 };

/**
 * Of when a state was read, and how much of it: not of the pool itself. No event has the flags, so
 * a pool that was not adopted has none.
 */
const READING_FIELDS: ReadonlySet<string> = new Set([
  ...['atSeconds', 'tickFrom', 'tickTo', 'binFrom', 'binTo', 'flags', 'transferFees'],
]);

const NO_MINT = Buffer.alloc(0);

/** Anyone can send tokens to a vault without naming the pool. */
function isCompared({ kind }: AccountReading, field: string): boolean {
  const isVault = field === 'held0' || field === 'held1';
  const hasVaults = KIND_FOLDS.get(kind)?.holdsVaults === true;
  return !READING_FIELDS.has(field) && !(isVault && hasVaults);
}

type AtBlock = Pick<BlockHeader, 'position'>;

interface PoolNowQuery {
  readonly description: PoolDescription;
  readonly minSlot: number;
  readonly nowSeconds: number;
}

interface StateNow {
  /** Null if the account is no such pool, or no longer on the same terms. */
  readonly reading: AccountReading | null;
  readonly slot: number;
  readonly callCount: number;
}

/** Terms are stored once: a pool on other terms is another one. */
function isSamePool({ description: found }: FoundPool, stored: PoolDescription): boolean {
  if (found.kind !== stored.kind) return false;
  const { encodeTerms } = kindOf(stored);
  return encodeTerms(found.terms) === encodeTerms(stored.terms);
}

/** The fees that the pool's mints take of transfers, as text; empty if there are none. */
function findFeeText(
  { venue, token0, token1 }: PoolDescription,
  accounts: ReadonlyMap<Address, SolanaAccount>,
): string {
  if (!FEE_VENUES.has(venue)) return '';
  const fees = readTransferFees(accounts, { token0, token1 });
  return fees === null ? '' : encodeTransferFees(fees);
}

/** A fee that is known is part of the pool's swaps, compared with its program or not. */
export function listMintFlags(
  venue: string,
  ofMints: readonly UncheckedFlag[],
  transferFees: string,
): UncheckedFlag[] {
  if (transferFees === '') return [...ofMints];
  const others = ofMints.filter((flag) => flag !== 'transferFee');
  return FEE_VENUES.get(venue) === 'compared' ? others : [...others, 'transferFeeUnchecked'];
}

/** The state with the flags of the pool's mints, and what these deduct from transfers. */
async function readNow(
  node: SolanaNode,
  { description, minSlot, nowSeconds }: PoolNowQuery,
  signal?: AbortSignal,
): Promise<StateNow> {
  const { pool, token0, token1 } = description;
  const mints = [token0, token1];
  const more = [...mints, ...EPOCH_ACCOUNTS];
  const query = { wish: { pool, mint: token0 }, more, minSlot, nowSeconds };
  const { slot, found, accounts, callCount } = await readPoolNow(node, query, signal);
  if (found === null || !isSamePool(found, description)) return { reading: null, slot, callCount };
  const ofMints = mints.flatMap((mint) => findMintFlags(accounts.get(mint)?.data ?? NO_MINT));
  const { reading } = found;
  if (ofMints.length === 0) return { reading, slot, callCount };
  const hasFee = ofMints.includes('transferFee');
  const transferFees = hasFee ? findFeeText(description, accounts) : '';
  const flags = listMintFlags(description.venue, ofMints, transferFees);
  const own = (reading.state as { readonly flags?: string }).flags ?? '';
  const all = [own, joinFlags([...new Set(flags)])].filter((part) => part !== '').join(' ');
  const fees = transferFees === '' ? {} : { transferFees };
  const state = { ...reading.state, flags: all, ...fees };
  return { reading: { ...reading, state } as AccountReading, slot, callCount };
}

/** What two nodes must agree on. */
function describeCompared(reading: AccountReading | null): string {
  if (reading === null) return 'no pool';
  const fields = Object.entries(reading.state).filter(([name]) => isCompared(reading, name));
  return fields.map(([name, value]) => `${name} ${value}`).join();
}

export class PoolStateReader {
  readonly #client: RpcClient;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(client: RpcClient, clock: Pick<Clock, 'nowMs'>) {
    this.#client = client;
    this.#clock = clock;
  }

  /** All of it is of one slot, at or after the block. */
  async readPage(
    { description }: Pick<PoolPageQuery, 'description'>,
    block: AtBlock,
    signal?: AbortSignal,
  ): Promise<PoolPageReading> {
    try {
      const query = { description, minSlot: block.position, nowSeconds: this.#readSeconds() };
      const found = await this.#client.at(
        async (node) => {
          const now = await readNow(node, query, signal);
          return { node, now, hash: await readBlockHash(node, now.slot, signal) };
        },
        { signal },
      );
      const { reading, slot } = found.now;
      const callCount = found.now.callCount + 1;
      if (reading === null) return { kind: 'noAnswer', callCount };
      const witnesses = await this.#compareWithOthers(
        found.node,
        { ...query, ...found.now },
        signal,
      );
      const { isRefuted } = witnesses;
      if (isRefuted) return { kind: 'noAnswer', callCount: callCount + witnesses.callCount };
      const { state, feePips, ticks } = reading;
      const covered = kindOf(reading).hasTicks ? EVERY_TICK : null;
      const later = { position: slot, hash: found.hash };
      const page = { state, feePips, ticks, covered, isLast: true, later };
      return { kind: 'page', page, callCount: callCount + witnesses.callCount };
    } catch (error) {
      if (isRpcError(error, 'stateUnavailable')) return { kind: 'blockGone', callCount: 1 };
      throw error;
    }
  }

  /** Whether another endpoint has another state of a pool that nobody used in between. */
  async #compareWithOthers(
    own: SolanaNode,
    { reading, slot, ...query }: PoolNowQuery & Pick<StateNow, 'reading' | 'slot'>,
    signal?: AbortSignal,
  ): Promise<{ readonly isRefuted: boolean; readonly callCount: number }> {
    if (this.#client.endpoints.length < 2) return { isRefuted: false, callCount: 0 };
    const address = toSolanaAddress(query.description.pool);
    const answers = await this.#client.atEach(async (node) => {
      if (node.name === own.name) return { isRefuted: false, callCount: 0 };
      const other = await readNow(node, { ...query, minSlot: slot }, signal);
      const isSameSlot = other.slot === slot;
      const used = isSameSlot
        ? slot
        : await findLastUse(node, { address, minSlot: other.slot }, signal);
      const isComparable = used !== null && used <= slot;
      const isSame = describeCompared(other.reading) === describeCompared(reading);
      if (!isComparable || isSame) return { isRefuted: false, callCount: other.callCount + 1 };
      // The index of signatures may be behind: a use in between is in the own node's state, too.
      const again = await readNow(own, { ...query, minSlot: other.slot }, signal);
      const isAgreed = describeCompared(other.reading) === describeCompared(again.reading);
      return { isRefuted: !isAgreed, callCount: other.callCount + again.callCount + 1 };
    }, signal);
    return {
      isRefuted: answers.some(({ value }) => value.isRefuted),
      callCount: answers.reduce((sum, { value }) => sum + value.callCount, 0),
    };
  }

  /** Pools that were used since the block are left out. */
  async readStates(
    queries: readonly PoolStateQuery[],
    block: AtBlock,
    signal?: AbortSignal,
  ): Promise<PoolStateReading[]> {
    const readings: PoolStateReading[] = [];
    for (const query of queries) {
      const found = await this.#client.at((node) => this.#readAt(node, query, block, signal), {
        signal,
      });
      if (found !== null) readings.push(found);
    }
    return readings;
  }

  async #readAt(
    node: SolanaNode,
    { description, ticks }: PoolStateQuery,
    block: AtBlock,
    signal?: AbortSignal,
  ): Promise<PoolStateReading | null> {
    const { pool } = description;
    const query = { description, minSlot: block.position, nowSeconds: this.#readSeconds() };
    const { reading, slot } = await readNow(node, query, signal);
    if (reading === null) return null;
    const address = toSolanaAddress(pool);
    const used =
      slot === block.position ? slot : await findLastUse(node, { address, minSlot: slot }, signal);
    if (used === null || used > block.position) return null;
    const known = new Set(ticks);
    const state = Object.entries(reading.state).filter(([name]) => isCompared(reading, name));
    return {
      ...{ pool, state: Object.fromEntries(state) },
      ticks: reading.ticks.filter(({ tick }) => known.has(tick)),
    };
  }

  #readSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }
}
