// Knows which pools are real. A pool is known by its factory's log, by the caller's store, or
// because a known factory confirms it; anything else that emits the same topics is ignored.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { KnownPools } from '../../adapter.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { EvmLog } from '../data/evm-log.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { POOL_ROWS } from '../venues/registry.ts';
import { describeUnpriced } from '../venues/unpriced-pools.ts';
import type { VenueProtocol } from '../venues/venue-protocol.ts';
import { findSharedPool, listSharedRows } from './shared-rows.ts';

export interface DirectoryEntry {
  readonly description: PoolDescription;
  /** Whether its creation was read here; otherwise the pool is announced, even if it is stored. */
  readonly isBirthSeen: boolean;
}

interface PoolDirectoryOptions {
  readonly deployment: EvmDeployment;
  readonly knownPools: KnownPools;
  /** Whether logs are read of some tokens only: pools of other tokens' swaps are not known then. */
  readonly isFiltered?: boolean;
  /** Called with swaps in which tokens moved, and whose pool no venue claims. */
  readonly onUnclaimed?: (swaps: readonly EvmLog[]) => void;
}

const POOLS_MAX = 200_000;
const IGNORED_MAX = 200_000;
const TERMS_MAX = 1_000;

export class PoolDirectory {
  readonly #options: PoolDirectoryOptions;
  readonly #entries = new BoundedMap<PoolId, DirectoryEntry>(POOLS_MAX);
  /** The rows of pools that logs name as a whole, by that name. */
  readonly #shared = new BoundedMap<PoolId, readonly PoolId[]>(POOLS_MAX);
  readonly #ignored = new BoundedMap<PoolId, true>(IGNORED_MAX);
  readonly #terms = new BoundedMap<string, PoolDescription['terms']>(TERMS_MAX);
  #ignoredCount = 0;
  #unclaimedCount = 0;

  constructor(options: PoolDirectoryOptions) {
    this.#options = options;
  }

  /** Emitters that are not pools of any known factory. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  /** Swaps that no venue claims. */
  get unclaimedCount(): number {
    return this.#unclaimedCount;
  }

  noteUnclaimed(swaps: readonly EvmLog[]): void {
    this.#unclaimedCount += swaps.length;
    if (swaps.length > 0) this.#options.onUnclaimed?.(swaps);
  }

  /** Adds a pool of a factory that nobody listed; its next event announces it. */
  accept(description: PoolDescription): void {
    this.#set(description, false);
    this.#ignored.delete(description.pool);
  }

  /** A pool is looked up again with its next event; call it if the reason to accept it is gone. */
  forget(pool: PoolId): void {
    this.#entries.delete(pool);
  }

  get(pool: PoolId): DirectoryEntry | undefined {
    return this.#entries.get(pool);
  }

  /** The rows of a pool that logs name as a whole; undefined if it is no such name. */
  listRows(shared: PoolId): readonly PoolId[] | undefined {
    return this.#shared.get(shared);
  }

  /** Whether this emitter is unknown and must be looked up. */
  isUnknown(pool: PoolId): boolean {
    return !this.#isKnown(pool) && !this.#ignored.has(pool);
  }

  #isKnown(pool: PoolId): boolean {
    return this.#entries.has(pool) || this.#shared.has(pool);
  }

  /** Adds a pool whose creation was read; call it only once the logs are trusted. */
  add(description: PoolDescription): void {
    this.#set(description, true);
    this.#ignored.delete(description.pool);
  }

  /**
   * Looks up unknown emitters, first in the store and then at the contracts. What changes a row
   * changes the others of its pool, so those of known emitters are looked up as well.
   */
  async lookUp(
    emitters: ReadonlyMap<PoolId, VenueProtocol>,
    callContracts: CallContracts,
  ): Promise<void> {
    const unknown = new Map([...emitters].filter(([pool]) => this.isUnknown(pool)));
    await this.#lookUpUnknown(unknown, callContracts);
    const rows = new Map<PoolId, VenueProtocol>();
    for (const [pool, protocol] of emitters) {
      const entry = this.#entries.get(pool);
      const others =
        entry === undefined ? this.#shared.get(pool) : listSharedRows(entry.description);
      for (const row of others ?? []) {
        if (this.isUnknown(row)) rows.set(row, protocol);
      }
    }
    await this.#lookUpUnknown(rows, callContracts);
  }

  async #lookUpUnknown(
    emitters: ReadonlyMap<PoolId, VenueProtocol>,
    callContracts: CallContracts,
  ): Promise<void> {
    if (emitters.size === 0) return;
    const asked = new Map(emitters);
    for (const row of await this.#options.knownPools([...emitters.keys()])) {
      this.#set(row, false);
      asked.delete(row.pool);
    }
    const strangers = Map.groupBy(
      [...asked].filter(([pool]) => !this.#shared.has(pool)),
      ([, protocol]) => protocol,
    );
    const { deployment } = this.#options;
    for (const [protocol, pairs] of strangers) {
      const pools = pairs.map(([pool]) => pool);
      const found = await protocol.resolvePools(pools, { deployment, callContracts });
      for (const description of found) this.#set(this.#fitToScope(description), false);
      for (const pool of pools) {
        if (this.#isKnown(pool)) continue;
        this.#ignored.set(pool, true);
        this.#ignoredCount += 1;
      }
    }
  }

  /** Of a pool whose rows change with all its tokens, not every change is seen. */
  #fitToScope(description: PoolDescription): PoolDescription {
    const isPartial = POOL_ROWS.get(description.kind)?.needsAllTokens === true;
    return isPartial && this.#options.isFiltered ? describeUnpriced(description) : description;
  }

  /**
   * Anyone can create pools, so an entry is as small as it can be: only the fields of a
   * description, and one object for equal terms.
   */
  #set(row: PoolDescription, isBirthSeen: boolean): void {
    const { pool, kind, venue, token0, token1, feePips, vault } = row;
    const terms = this.#shareTerms(row);
    const fields = { pool, kind, venue, token0, token1, feePips, vault, terms };
    const description = fields as PoolDescription;
    this.#entries.set(pool, { description, isBirthSeen });
    const whole = findSharedPool(description);
    if (whole !== null) this.#shared.set(whole.shared, whole.rows);
  }

  #shareTerms({ kind, terms }: PoolDescription): PoolDescription['terms'] {
    const key = `${kind} ${JSON.stringify(terms, toPlainValue)}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    this.#terms.set(key, terms);
    return terms;
  }
}

/** JSON has no bigint. */
function toPlainValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
