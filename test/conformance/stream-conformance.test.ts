// Runs the streams' suite on both stores.

import { describeNewsStreamOn } from './describe-news-stream.ts';
import { describeSetStreamOn } from './describe-set-stream.ts';
import { describeStreamOn } from './describe-stream.ts';

for (const engine of ['sqlite', 'postgres'] as const) {
  describeStreamOn(engine);
  describeSetStreamOn(engine);
  describeNewsStreamOn(engine);
}
