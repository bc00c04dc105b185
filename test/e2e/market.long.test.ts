// Reads of a followed chain on PostgreSQL.

import { describeMarket } from '../describe-market.ts';

describeMarket('postgres');
