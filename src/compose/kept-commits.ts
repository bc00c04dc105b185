// The last commits of each chain, kept by the primary process for its workers.

import type { ChainSlug } from '../model/chain.ts';
import type { WorkerCommit } from './worker-message.ts';

interface KeptChain {
  readonly epoch: string;
  /** Ascending. */
  readonly commits: WorkerCommit[];
  size: number;
}

/** A worker that is further behind than this reads the store again. */
const COMMITS_MAX = 1000;
const SIZE_MAX = 16 * 1024 * 1024;

export class KeptCommits {
  readonly #chains = new Map<ChainSlug, KeptChain>();

  add(commit: WorkerCommit): void {
    const { chain, epoch, version, body } = commit;
    let kept = this.#chains.get(chain);
    if (kept?.epoch !== epoch) {
      kept = { epoch, commits: [], size: 0 };
      this.#chains.set(chain, kept);
    }
    // A restarted indexer may publish its last commit again.
    if (version <= (kept.commits.at(-1)?.version ?? 0)) return;
    kept.commits.push(commit);
    kept.size += body.length;
    while (kept.commits.length > COMMITS_MAX || (kept.size > SIZE_MAX && kept.commits.length > 1)) {
      kept.size -= kept.commits.shift()?.body.length ?? 0;
    }
  }

  /** As `FeedStore.readBatches`. */
  read(
    chain: ChainSlug,
    after: { readonly epoch: string | null; readonly version: number },
    limit: { readonly countMax: number; readonly bytesMax: number },
  ): readonly string[] {
    const kept = this.#chains.get(chain);
    if (kept === undefined) return [];
    const from = (after.epoch ?? kept.epoch) === kept.epoch ? after.version : 0;
    const first = kept.commits.findIndex(({ version }) => version > from);
    if (first < 0) return [];
    const page: string[] = [];
    let size = 0;
    for (const { body } of kept.commits.slice(first, first + limit.countMax)) {
      size += body.length;
      // One that is larger than the bound comes alone.
      if (page.length > 0 && size > limit.bytesMax) break;
      page.push(body);
    }
    return page;
  }
}
