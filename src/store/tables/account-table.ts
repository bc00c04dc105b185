// Which addresses are contracts, as the chain said when it was asked.

import { defineTable } from '../table.ts';

export const ACCOUNT_TABLE = defineTable('accounts', {
  key: { chain: 'text', address: 'text' },
  data: { is_contract: 'integer' },
});
