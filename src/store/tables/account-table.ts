// Which addresses are contracts, as reported by the chain.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';

export const ACCOUNT_TABLE = defineTable('accounts', {
  key: { chain: 'text', address: 'text' },
  data: { is_contract: 'integer' },
});
const writeRow = createRowWriter(ACCOUNT_TABLE);

export function toAccountRow(chain: ChainSlug, address: Address, isContract: boolean): SqlRow {
  return writeRow({ chain, address, is_contract: isContract ? 1 : 0 });
}
