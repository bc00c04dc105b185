// Measures a chain's endpoints and estimates what each scope costs there.

import type { EndpointMeasurement, EndpointReport } from '../chains/endpoint-measurement.ts';
import {
  type ArchiveEstimate,
  estimateArchives,
  estimateHistory,
  type HistoryEstimate,
} from '../chains/estimate-history.ts';
import { estimateScopes, type ScopeEstimate } from '../chains/estimate-scopes.ts';
import type { ChainSource, NodeParts } from '../chains/family.ts';
import type { Config } from '../config.ts';
import { requireMarkets } from '../engines/chain-families.ts';
import { systemClock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import { findFollowedSource } from './verify-followed-chain.ts';

/** Those whose blocks are in era files, by `CHAINS_FILE` too. */
const ERA_CHAINS: ReadonlySet<string> = new Set(['ethereum', 'sepolia', 'hoodi']);
/** As many as a hobbyist cares about. */
const WATCHED_TOKENS = 20;

export interface EndpointPlan {
  readonly measurement: EndpointMeasurement;
  readonly scopes: readonly ScopeEstimate[];
  /** Null if nothing older is to be indexed. */
  readonly history: HistoryEstimate | null;
  /** The same from each kind of archive; none on chains whose blocks cannot be proved. */
  readonly archives: readonly ArchiveEstimate[];
}

export interface ChainPlan {
  readonly endpoints: readonly EndpointPlan[];
  readonly failed: readonly Extract<EndpointReport, { kind: 'failed' }>[];
  readonly isAnnounced: boolean;
  /** Null if every call counts as one credit. */
  readonly hasCredits: boolean;
  /** Null for no limit. */
  readonly creditsPerDay: number | null;
  /** What the operator's file says of the chain and the chain does not confirm. */
  readonly problems: readonly string[];
}

/** None if no endpoint answers, which is said elsewhere. */
async function checkFile(
  source: ChainSource,
  parts: NodeParts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!source.contracts) return [];
  const nodes = requireMarkets(source.chain).open(source, parts);
  try {
    return await nodes.checkContracts(signal);
  } catch {
    return [];
  } finally {
    nodes.close();
  }
}

export async function planFollowedChain(options: {
  readonly config: Config;
  readonly chain: ChainSlug;
  /** The first block to index; `START_BLOCK_<CHAIN>` by default. */
  readonly fromBlock: number | null;
  readonly signal: AbortSignal;
}): Promise<ChainPlan> {
  const { config, chain, signal } = options;
  const source = findFollowedSource(config, chain);
  const log = { info: () => undefined, warn: () => undefined };
  const parts = { clock: systemClock, log };
  const reports = await requireMarkets(chain).measure(source, parts, signal);
  const isAnnounced = (source.sockets ?? []).length > 0;
  const followed = config.chains.find((one) => one.chain === chain);
  const credits = followed?.credits ?? null;
  const creditsPerDay = followed?.creditsPerDay ?? null;
  const fromBlock = options.fromBlock ?? source.startBlock;
  const checksLogs = config.indexing.checkLogs === 'all';
  const estimate = { credits, isAnnounced, watchedTokens: WATCHED_TOKENS };
  const samplePct = config.indexing.historySamplePct;
  const planHistory = (measurement: EndpointMeasurement) => {
    if (fromBlock === null) return { history: null, archives: [] };
    const history = estimateHistory(measurement, {
      ...{ fromBlock, credits, creditsPerDay, checksLogs },
    });
    const { blocks } = history;
    const isProvable = measurement.family === 'evm';
    const cost = { blocks, credits, creditsPerDay, samplePct };
    const hasEraFiles = ERA_CHAINS.has(chain);
    const archives = isProvable ? estimateArchives(measurement, { ...cost, hasEraFiles }) : [];
    return { history, archives };
  };
  return {
    endpoints: reports.flatMap((report) =>
      report.kind === 'failed'
        ? []
        : [
            {
              measurement: report.measurement,
              scopes: estimateScopes(report.measurement, estimate),
              ...planHistory(report.measurement),
            },
          ],
    ),
    failed: reports.flatMap((report) => (report.kind === 'failed' ? [report] : [])),
    isAnnounced,
    hasCredits: credits !== null,
    creditsPerDay,
    problems: await checkFile(source, parts, signal),
  };
}
