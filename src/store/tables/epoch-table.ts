// One row per chain: the epoch of its index, and from which version on its rollbacks are known.

import { defineTable } from '../table.ts';

export const EPOCH_TABLE = defineTable('chain_epochs', {
  key: { chain: 'text' },
  data: { epoch: 'text', forgotten_version: 'integer' },
});
