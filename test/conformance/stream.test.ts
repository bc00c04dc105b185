// Runs the streams' suite on both stores.

import { describeStreamOn } from './stream.ts';

describeStreamOn('sqlite');
describeStreamOn('postgres');
