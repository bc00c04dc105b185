// Runs the streams' suite on both stores.

import { describeStreamOn } from './describe-stream.ts';

describeStreamOn('sqlite');
describeStreamOn('postgres');
