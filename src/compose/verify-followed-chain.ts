// Opens what verifying an index needs: the store, the chain, and a scratch store.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainLog, ChainSource } from '../chains/family.ts';
import type { Config } from '../config.ts';
import { requireMarkets } from '../engines/chain-families.ts';
import { createAdapter, findChainSource, readDevnetSource } from '../engines/chain-source.ts';
import { openScratchStore, openStore } from '../engines/open-store.ts';
import { StartError } from '../errors/start-error.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../ingest/follow/indexer-options.ts';
import {
  listArchiveProblems,
  type Verification,
  verifyChain,
} from '../ingest/verify/verify-chain.ts';
import { systemClock } from '../lib/clock.ts';
import { type ChainSlug, isEmbedded, toSettingSuffix } from '../model/chain.ts';

const ATTEMPT_COUNT_MAX = 5;

export function findFollowedSource(config: Config, chain: ChainSlug): ChainSource {
  if (isEmbedded(chain)) {
    const { deployment, solanaDeployment } = config.devnet;
    const usual = join(config.store.dataDir, chain, 'deployment.json');
    const path = (chain === 'devnet' ? deployment : solanaDeployment) ?? usual;
    if (existsSync(path)) return readDevnetSource(chain, path);
    throw new StartError(
      `No ${chain} was found at ${path}. Start the service with npm start, or set DATA_DIR to the folder that the service uses.`,
    );
  }
  const followed = config.chains.find((one) => one.chain === chain);
  if (followed) return findChainSource(followed);
  throw new StartError(`Set RPC_${toSettingSuffix(chain)} to an endpoint of ${chain}.`);
}

interface VerifyFollowedOptions {
  readonly config: Config;
  readonly chain: ChainSlug;
  /** Whether final blocks are read from `HISTORY_<CHAIN>` in place of the nodes. */
  readonly usesArchives: boolean;
  readonly log: ChainLog;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly block: number; readonly toBlock: number }) => void;
}

/** With what was found out about the archives. */
export interface FollowedVerification extends Verification {
  readonly archiveNotes: readonly string[];
  /** Why this is no second opinion of archives, if one was asked for. */
  readonly archiveProblems: readonly string[];
}

export async function verifyFollowedChain(
  options: VerifyFollowedOptions,
): Promise<FollowedVerification> {
  const { config, chain, usesArchives, log, signal, onProgress } = options;
  const found = findFollowedSource(config, chain);
  if (usesArchives && (found.archives?.places ?? []).length === 0) {
    throw new StartError(`Set HISTORY_${toSettingSuffix(chain)} to an archive to verify with it.`);
  }
  // The first ones are those that were indexed from, unless they failed.
  const source = { ...found, endpoints: found.endpoints.toReversed() };
  const store = await openStore(config.store);
  const nodes = requireMarkets(chain).open(source, { clock: systemClock, log });
  const adapter = createAdapter(nodes, source, {
    // What the store says of pools is compared, so they are resolved from the chain.
    store: { market: { readPools: async () => [] } },
    indexing: { ...config.indexing, checkLogs: 'all' },
    usesArchives,
  });
  try {
    const verification = await verifyChain({
      adapter,
      store: store.market,
      openScratchStore,
      sizes: DEFAULT_INDEXER_OPTIONS.sizes,
      attemptCountMax: ATTEMPT_COUNT_MAX,
      signal,
      onProgress,
    });
    const limitations = adapter.status?.().limitations ?? [];
    const archiveProblems = usesArchives ? listArchiveProblems(verification, limitations) : [];
    const isNote = (text: string) => text.startsWith('archive ') && !archiveProblems.includes(text);
    return { ...verification, archiveNotes: limitations.filter(isNote), archiveProblems };
  } finally {
    await adapter.close();
    nodes.close();
    await store.close();
  }
}
