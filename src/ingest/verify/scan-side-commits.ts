// The stored commits that came without a new block and brought something that no log tells:
// adoptions and discoveries, in the order of the commits.

import type { AdoptionRecord } from '../../model/adoption.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type { MarketScanner } from '../../store/store.ts';

interface SideCommit {
  readonly version: number;
  readonly block: number;
  readonly adoptions: readonly AdoptionRecord[];
  readonly discoveries: readonly DiscoveryRecord[];
}

interface VersionedRow {
  readonly version: number;
  readonly block: number;
}

/** Rows grouped by commit; they must be in commit order. */
async function* groupByCommit<Row extends VersionedRow>(
  scan: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let commit: Row[] = [];
  for await (const rows of scan) {
    for (const row of rows) {
      if (commit[0] !== undefined && commit[0].version !== row.version) {
        yield commit;
        commit = [];
      }
      commit.push(row);
    }
  }
  if (commit.length > 0) yield commit;
}

async function readNext<Row>(
  commits: AsyncGenerator<readonly Row[]>,
): Promise<readonly Row[] | null> {
  const { value, done } = await commits.next();
  return done === true ? null : value;
}

export async function* scanSideCommits(
  stored: MarketScanner,
  chain: ChainSlug,
): AsyncGenerator<SideCommit> {
  const adopted = groupByCommit(stored.scanAdoptions(chain));
  const discovered = groupByCommit(stored.scanDiscoveries(chain));
  let adoptions = await readNext(adopted);
  let discoveries = await readNext(discovered);
  for (;;) {
    const [adoption, discovery] = [adoptions?.[0], discoveries?.[0]];
    const isAdoption =
      adoption !== undefined && adoption.version <= (discovery?.version ?? adoption.version);
    const first = isAdoption ? adoption : discovery;
    if (first === undefined) return;
    const { version, block } = first;
    if (isAdoption) {
      yield { version, block, adoptions: adoptions ?? [], discoveries: [] };
      adoptions = await readNext(adopted);
    } else {
      yield { version, block, adoptions: [], discoveries: discoveries ?? [] };
      discoveries = await readNext(discovered);
    }
  }
}
