// The access store over any engine with SQL sessions.

import type { AccessStore } from '../access-store.ts';
import type { SqlEngine } from '../sql.ts';
import { createKeyQueries } from './key-queries.ts';
import { createOperationUsageQueries } from './operation-usage-queries.ts';
import { createSessionQueries } from './session-queries.ts';
import { createSignInQueries } from './sign-in-queries.ts';
import { createTierQueries } from './tier-queries.ts';
import { createUsageQueries } from './usage-queries.ts';

export function createSqlAccessStore(engine: SqlEngine): AccessStore {
  return {
    ...createSignInQueries(engine),
    ...createSessionQueries(engine),
    ...createKeyQueries(engine),
    ...createUsageQueries(engine),
    ...createOperationUsageQueries(engine),
    ...createTierQueries(engine),
  };
}
