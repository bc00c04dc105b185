// Runs the streams' suite on SQLite; `stream-conformance.long.test.ts` has PostgreSQL.

import { describeNewsStreamOn } from './describe-news-stream.ts';
import { describeSetStreamOn } from './describe-set-stream.ts';
import { describeStreamOn } from './describe-stream.ts';

describeStreamOn('sqlite');
describeSetStreamOn('sqlite');
describeNewsStreamOn('sqlite');
