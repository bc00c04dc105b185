// Since when single tokens are indexed, where that is not since the chain is: they came into scope
// later, or history from before was filled in.

import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketSnapshot } from '../../store/store.ts';

export interface ListStarts {
  readonly jobs: readonly BackfillRecord[];
  /** Unix milliseconds; NaN for a token that is indexed since the chain is. */
  find(token: Address): number;
}

/** The same rules as for coverage. */
function buildStarts(
  { scope }: Checkpoint,
  entries: readonly ScopeEntry[],
  jobs: readonly BackfillRecord[],
): ListStarts {
  const entered = new Map(
    entries
      .filter(({ leftBlock }) => leftBlock === null)
      .map(({ token, fromBlock, fromMs }) => [
        token,
        fromBlock <= 1 ? Number.NEGATIVE_INFINITY : fromMs,
      ]),
  );
  const reached = new Map(
    jobs.flatMap(({ token, kind, nextMs }) =>
      kind === 'trades' && nextMs !== null ? [[token, nextMs] as const] : [],
    ),
  );
  return {
    jobs,
    find: (token) => {
      const reachedMs = reached.get(token);
      if (scope === undefined) return reachedMs ?? Number.NaN;
      // Outside of scope nothing is complete, whatever was filled in.
      const enteredMs = entered.get(token) ?? Number.POSITIVE_INFINITY;
      return enteredMs === Number.POSITIVE_INFINITY
        ? enteredMs
        : Math.min(enteredMs, reachedMs ?? enteredMs);
    },
  };
}

/** Of all tokens. */
export async function scanListStarts(
  reader: MarketSnapshot,
  chain: ChainSlug,
  checkpoint: Checkpoint,
): Promise<ListStarts> {
  const entries: ScopeEntry[] = [];
  const jobs: BackfillRecord[] = [];
  if (checkpoint.scope !== undefined) {
    for await (const page of reader.scanScopeEntries(chain)) entries.push(...page);
  }
  if (checkpoint.startBlock > 1) {
    for await (const page of reader.scanBackfills(chain)) jobs.push(...page);
  }
  return buildStarts(checkpoint, entries, jobs);
}

export async function readListStarts(
  reader: MarketSnapshot,
  chain: ChainSlug,
  of: { readonly checkpoint: Checkpoint; readonly tokens: readonly Address[] },
): Promise<ListStarts> {
  const { checkpoint, tokens } = of;
  const isScoped = checkpoint.scope !== undefined;
  const entries = isScoped ? await reader.readScopeEntries(chain, tokens) : [];
  const jobs = checkpoint.startBlock > 1 ? await reader.readBackfills(chain, tokens) : [];
  return buildStarts(checkpoint, entries, jobs);
}
