// The archives of `HISTORY_<CHAIN>`, opened.

import type { Clock } from '../../../lib/clock.ts';
import type { Random, Sleep } from '../../../lib/retry.ts';
import type { ArchiveSettings } from '../../../model/archive-place.ts';
import { type Log, RpcClient } from '../../rpc/rpc-client.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { ArchiveReader, type EvmArchive } from './archive-reader.ts';
import { EraFolderSource, EraUrlSource } from './era-source.ts';
import { NodeWitness } from './node-witness.ts';
import { PortalSource } from './portal-source.ts';
import { RpcSource } from './rpc-source.ts';

/** Nobody waits, and another archive or the node can take over. */
const RPC_BUDGET_MS = 20_000;
const RPC_LIMITS = {
  timeoutMs: 20_000,
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 40,
  batchesMax: 2,
  chainCheckMs: 600_000,
};

interface ArchiveParts {
  /** The operator's own nodes. */
  readonly client: RpcClient;
  readonly chainId: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly log: Log;
}

/** Null without archives. */
export function openArchives(
  { places, samplePct }: ArchiveSettings,
  { client, chainId, ...parts }: ArchiveParts,
): ArchiveReader | null {
  if (places.length === 0) return null;
  const sources = places.map(({ kind, place }): EvmArchive => {
    if (kind === 'portal') return new PortalSource(place, parts.clock);
    if (kind === 'eraFolder') return new EraFolderSource(place);
    if (kind === 'eraUrl') return new EraUrlSource(place);
    const dialect = createEvmDialect(chainId);
    const use = { endpoints: [place], dialect, budgetMs: RPC_BUDGET_MS, limits: RPC_LIMITS };
    return new RpcSource(new RpcClient({ ...use, ...parts }));
  });
  return new ArchiveReader({ ...parts, sources, samplePct, witness: new NodeWitness(client) });
}
