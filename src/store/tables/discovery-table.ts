// Tokens that were looked up on demand, each with the pools that were found then.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type { PoolDescription } from '../../model/pool.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, numberAt, textAt } from './column-value.ts';

export const DISCOVERY_TABLE = defineTable('discoveries', {
  key: { chain: 'text', version: 'integer', token: 'text' },
  data: {
    block: 'integer',
    /** JSON: the pools' descriptions, each with its terms as text. */
    pools: 'text',
  },
});
const { at } = DISCOVERY_TABLE;
const writeRow = createRowWriter(DISCOVERY_TABLE);

type StoredPool = Omit<PoolDescription, 'terms'> & { readonly terms: string };

function toStoredPool(description: PoolDescription): StoredPool {
  const { pool, kind, venue, token0, token1, feePips, vault, terms } = description;
  const shared = { pool, kind, venue, token0, token1, feePips, vault };
  return { ...shared, terms: kindOf(description).encodeTerms(terms) };
}

export function toDiscoveryRow(chain: ChainSlug, record: DiscoveryRecord): SqlRow {
  const { version, token, block, pools } = record;
  return writeRow({
    ...{ chain, version, token, block },
    pools: JSON.stringify(pools.map(toStoredPool)),
  });
}

export function toDiscoveryRecord(row: SqlRow): DiscoveryRecord {
  const pools = JSON.parse(textAt(row, at.pools)) as readonly StoredPool[];
  return {
    token: addressAt(row, at.token),
    pools: pools.map(
      (pool) => ({ ...pool, terms: kindOf(pool).decodeTerms(pool.terms) }) as PoolDescription,
    ),
    block: numberAt(row, at.block),
    version: numberAt(row, at.version),
  };
}
