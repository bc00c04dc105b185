// Reads of a followed chain on SQLite; `market.long.test.ts` has PostgreSQL.

import { describeMarket } from '../describe-market.ts';

describeMarket('sqlite');
