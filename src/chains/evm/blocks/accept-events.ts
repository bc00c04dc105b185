// Keeps the events of real pools, and reports pools discovered after their creation first.

import { takesChange } from '../../../amm/pool-kinds.ts';
import type { PoolId, TransactionId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription } from '../../../model/pool.ts';
import type { DecodedEvent } from '../data/evm-log.ts';
import type { DirectoryEntry, PoolDirectory } from '../pools/pool-directory.ts';
import { listSharedRows, toSharedChange } from '../pools/shared-rows.ts';
import type { DecodedBlock, DecodedLogs } from '../venues/log-decoding.ts';

export interface AcceptedBlock {
  readonly block: number;
  readonly blockHash: string;
  readonly timestampMs: number | null;
  readonly events: readonly DecodedEvent[];
  /** Hashes of the transactions whose sender is wanted. */
  readonly swapTxHashes: ReadonlySet<TransactionId>;
}

const NO_HASHES: ReadonlySet<TransactionId> = new Set();

interface Acceptance {
  readonly directory: PoolDirectory;
  readonly created: ReadonlySet<PoolId>;
  /** Pools whose creation was not read, and for which `poolCreated` was already emitted. */
  readonly announced: Set<PoolId>;
  /** Whether pools whose creation was read earlier are announced, too. */
  readonly describesPools: boolean;
  /** Swaps of emitters that are no known pools, by the index of their log in its block. */
  readonly refused: RefusedSwap[];
}

/** A log of a swap that no venue claims. */
export interface RefusedSwap {
  readonly txHash: TransactionId;
  readonly logIndex: number;
}

type DecodedPoolEvent = Extract<DecodedEvent, { readonly kind: 'swap' | 'poolChanged' }>;

/** Ids with a short hash of the tokens can be made to collide. */
function isOfOtherTokens(event: DecodedPoolEvent, { token0, token1 }: PoolDescription): boolean {
  if (event.kind !== 'swap' || event.tokens === undefined) return false;
  return event.tokens[0] !== token0 || event.tokens[1] !== token1;
}

/**
 * Pools of several kinds emit the same log: a change that is not of the pool's kind is dropped, and
 * so is a swap of other tokens.
 */
export function fitToKind(
  event: DecodedPoolEvent,
  description: PoolDescription | undefined,
): DecodedPoolEvent | null {
  const { change } = event;
  if (description !== undefined && isOfOtherTokens(event, description)) return null;
  if (description === undefined || change === null || takesChange(description, change)) {
    return event;
  }
  return event.kind === 'swap' ? { ...event, change: null } : null;
}

/** Reports a pool discovered after its creation. */
function announce(entry: DirectoryEntry, out: DecodedEvent[], acceptance: Acceptance): void {
  const { description, isBirthSeen } = entry;
  if (isBirthSeen && !acceptance.describesPools) return;
  if (acceptance.announced.has(description.pool)) return;
  acceptance.announced.add(description.pool);
  out.push({ kind: 'poolCreated', description, complete: false });
}

/** The same change for several rows of a pool. */
function pushChange(
  rows: readonly PoolId[],
  change: PoolChange | null,
  out: DecodedEvent[],
  acceptance: Acceptance,
): void {
  for (const pool of rows) {
    const entry = acceptance.directory.get(pool);
    if (entry === undefined || change === null || !takesChange(entry.description, change)) continue;
    announce(entry, out, acceptance);
    out.push({ kind: 'poolChanged', pool, change });
  }
}

function acceptBlock(decoded: DecodedBlock, acceptance: Acceptance): AcceptedBlock {
  const { block, blockHash, timestampMs } = decoded;
  if (!decoded.hasPools) {
    return { block, blockHash, timestampMs, events: decoded.events, swapTxHashes: NO_HASHES };
  }
  const events: DecodedEvent[] = [];
  const swapTxHashes = new Set<TransactionId>();
  for (const event of decoded.events) {
    if (event.kind === 'transfer' || event.kind === 'poolCreated') {
      events.push(event);
      continue;
    }
    const { pool } = event;
    const rows = acceptance.directory.listRows(pool);
    if (rows !== undefined) {
      pushChange(rows, event.change, events, acceptance);
      continue;
    }
    const entry = acceptance.directory.get(pool);
    const fitting = fitToKind(event, entry?.description);
    if (fitting === null) continue;
    if (!acceptance.created.has(pool)) {
      if (entry === undefined) {
        if (event.kind === 'swap') acceptance.refused.push(event);
        continue;
      }
      announce(entry, events, acceptance);
    }
    if (event.kind === 'swap') swapTxHashes.add(event.txHash);
    events.push(fitting);
    if (entry === undefined) continue;
    const { description } = entry;
    const others = listSharedRows(description);
    if (others.length === 0) continue;
    pushChange(others, toSharedChange(event, description), events, acceptance);
  }
  return { block, blockHash, timestampMs, events, swapTxHashes };
}

/** Requires that every emitter was looked up; a block without remaining events is dropped. */
export function acceptEvents(
  decoded: DecodedLogs,
  directory: PoolDirectory,
  { describesPools }: Pick<Acceptance, 'describesPools'>,
): { readonly blocks: AcceptedBlock[]; readonly refused: readonly RefusedSwap[] } {
  const { created } = decoded;
  const refused: RefusedSwap[] = [];
  const acceptance = { directory, created, announced: new Set<PoolId>(), describesPools, refused };
  const blocks = decoded.blocks
    .map((block) => acceptBlock(block, acceptance))
    .filter((block) => block.events.length > 0);
  return { blocks, refused };
}
