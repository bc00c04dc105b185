// Kills and reorganisations on the other engine than `indexing.test.ts`.

import { describeIndexing } from '../describe-indexing.ts';

describeIndexing('postgres');
