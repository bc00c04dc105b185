// Routes random markets for as many milliseconds as its argument says; profile.ts starts it.

import { createRandom } from '../test/fakes/create-random.ts';
import { createRandomMarket } from '../test/fakes/random-pools.ts';
import { routeOnce, WORTHS } from './quote-route.ts';

const untilMs = performance.now() + Number(process.argv[2]);
const shape = { poolCount: 200, assetCount: 8, noise: 0.001, concentratedShare: 0.6 };
for (let seed = 1; performance.now() < untilMs; seed += 1) {
  const market = createRandomMarket(createRandom(seed), shape);
  for (const worth of WORTHS) routeOnce(market, worth);
}
