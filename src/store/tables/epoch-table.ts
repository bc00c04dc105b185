// One row per chain: which index of it this is, and from where on its rollbacks are known.

import { defineTable } from '../table.ts';

export const EPOCH_TABLE = defineTable('chain_epochs', {
  key: { chain: 'text' },
  data: { epoch: 'text', forgotten_version: 'integer' },
});
