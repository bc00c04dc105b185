// What every engine must do, as one suite. A new engine must pass it.

import { describe } from 'node:test';
import { describeBackfills } from './store-backfills.ts';
import { describeDiscoveries } from './store-discoveries.ts';
import { describeForget } from './store-forget.ts';
import { describeKill } from './store-kill.ts';
import { describeMigrations } from './store-migrations.ts';
import { describePages } from './store-pages.ts';
import type { CreatePlace } from './store-place.ts';
import { describePoolSafety } from './store-pool-safety.ts';
import { describeRetention } from './store-retention.ts';
import { describeRows } from './store-rows.ts';
import { describeScope, describeWatches } from './store-scope.ts';
import { describeSeries } from './store-series.ts';
import { describeStreams } from './store-streams.ts';
import { describeTransactions } from './store-transactions.ts';
import { describeUndo } from './store-undo.ts';
import { describeWallets } from './store-wallets.ts';

/** A place that has data already cannot be migrated from the beginning. */
export function describeStore(
  name: string,
  createPlace: CreatePlace,
  { isNew = true }: { readonly isNew?: boolean } = {},
): void {
  describe(name, () => {
    describeRows(createPlace);
    describePages(createPlace);
    describeWallets(createPlace);
    describeSeries(createPlace);
    describeTransactions(createPlace);
    describeUndo(createPlace);
    describeDiscoveries(createPlace);
    describeStreams(createPlace);
    describePoolSafety(createPlace);
    describeBackfills(createPlace);
    if (isNew) describeMigrations(createPlace);
    describeRetention(createPlace);
    describeScope(createPlace);
    describeWatches(createPlace);
    describeForget(createPlace);
    describeKill(createPlace);
  });
}
