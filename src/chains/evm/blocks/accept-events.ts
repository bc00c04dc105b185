// Keeps the events of real pools, and reports pools discovered after their creation first.

import type { PoolId, TransactionId } from '../../../model/ids.ts';
import type { DecodedEvent } from '../evm-log.ts';
import type { DecodedBlock, DecodedLogs } from '../log-decoding.ts';
import type { PoolDirectory } from '../pools/pool-directory.ts';

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
}

function acceptBlock(decoded: DecodedBlock, acceptance: Acceptance): AcceptedBlock {
  const { block, blockHash, timestampMs } = decoded;
  if (!decoded.hasPools) {
    return { block, blockHash, timestampMs, events: decoded.events, swapTxHashes: NO_HASHES };
  }
  const events: DecodedEvent[] = [];
  const swapTxHashes = new Set<TransactionId>();
  for (const event of decoded.events) {
    if (event.kind !== 'transfer' && event.kind !== 'poolCreated') {
      const { pool } = event;
      if (!acceptance.created.has(pool)) {
        const entry = acceptance.directory.get(pool);
        if (entry === undefined) continue;
        if ((!entry.isBirthSeen || acceptance.describesPools) && !acceptance.announced.has(pool)) {
          acceptance.announced.add(pool);
          const { description } = entry;
          events.push({ kind: 'poolCreated', description, complete: false });
        }
      }
      if (event.kind === 'swap') swapTxHashes.add(event.txHash);
    }
    events.push(event);
  }
  return { block, blockHash, timestampMs, events, swapTxHashes };
}

/** Requires that every emitter was looked up; a block without remaining events is dropped. */
export function acceptEvents(
  decoded: DecodedLogs,
  directory: PoolDirectory,
  { describesPools }: Pick<Acceptance, 'describesPools'>,
): AcceptedBlock[] {
  const { created } = decoded;
  const acceptance = { directory, created, announced: new Set<PoolId>(), describesPools };
  return decoded.blocks
    .map((block) => acceptBlock(block, acceptance))
    .filter((block) => block.events.length > 0);
}
