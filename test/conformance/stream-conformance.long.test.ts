// Runs the streams' suite on PostgreSQL.

import { describeNewsStreamOn } from './describe-news-stream.ts';
import { describeSetStreamOn } from './describe-set-stream.ts';
import { describeStreamOn } from './describe-stream.ts';

describeStreamOn('postgres');
describeSetStreamOn('postgres');
describeNewsStreamOn('postgres');
