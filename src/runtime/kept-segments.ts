// Search segments that stay in the data folder, so that the next start need not build them first.

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { listChangedSince } from '../market/changed-since.ts';
import { readSegmentFile } from '../market/search/segment-file.ts';
import type { KeptSegments } from '../market/token-search.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { MarketStore } from '../store/store.ts';

/** Older segments are not used: too many changes would have to be read. */
const AGE_MAX_MS = 24 * 3_600_000;

/** A draft that was not written to for so long is of a process that was killed. */
const DRAFT_LEFT_MS = 3_600_000;

export function findSegmentFolder({ dataDir }: Config['store']): string {
  return join(dataDir, 'search-segments');
}

async function removeLeftDrafts(folder: string, kept: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${kept}.`)) continue;
    const draft = join(folder, name);
    const { mtimeMs } = await stat(draft);
    if (Date.now() - mtimeMs > DRAFT_LEFT_MS) await rm(draft, { force: true });
  }
}

/** The chain's file; its folder is made, if that is possible. */
export async function placeKeptFile(config: Config['store'], chain: ChainSlug): Promise<string> {
  const folder = findSegmentFolder(config);
  // A folder that cannot be made shows when the file is written.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  const kept = `${chain}.kept`;
  // What cannot be removed, or is removed by another process, is tried again the next time.
  await removeLeftDrafts(folder, kept).catch(() => undefined);
  return join(folder, kept);
}

export function createKeptSegments(
  config: Config['store'],
  store: Pick<MarketStore, 'snapshot' | 'readEpoch' | 'readCheckpoint'>,
): KeptSegments {
  return {
    open: async (chain) => {
      const epoch = await store.readEpoch(chain);
      const version = (await store.readCheckpoint(chain))?.version ?? 0;
      const file = await placeKeptFile(config, chain);
      // A store from a backup may be behind the file.
      const opened = await readSegmentFile(
        file,
        (one) => one.chain === chain && one.epoch === epoch?.epoch && one.version <= version,
      ).catch(() => null);
      return opened !== null && opened.ageMs <= AGE_MAX_MS ? opened : null;
    },
    listChanged: (origin, bounds) =>
      listChangedSince(store, origin.chain, { since: origin, ...bounds }),
  };
}
