// Runs the store's suite on SQLite as an indexer opens it, and on PostgreSQL with tables that
// retention has divided.

import { describeStore } from './describe-store.ts';
import { createDividedPlace, createThreadedPlace } from './store-place.ts';

describeStore('store on SQLite, written on a thread', createThreadedPlace);
describeStore('store on PostgreSQL with partitions', createDividedPlace, { isNew: false });
