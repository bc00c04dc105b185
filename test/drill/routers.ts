// Random trades through each kind of router, each executed and compared with its price.

import { createRandom } from '../fakes/create-random.ts';
import { startRouterScene } from '../router-scene.ts';
import { RouterTrader } from '../router-trades.ts';

export async function drillRouters(wanted: {
  readonly count: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}): Promise<void> {
  const scene = await startRouterScene();
  try {
    for (const [index, router] of scene.routers.entries()) {
      const trader = new RouterTrader(scene, router, createRandom(wanted.seed * 100 + index));
      for (let count = 0; count < wanted.count; count += 1) await trader.trade();
      const what = router.isProven ? 'the real contract' : 'a stand-in';
      wanted.log(`${router.name} (${what}): ${JSON.stringify(trader.tally)}`);
    }
  } finally {
    await scene.stop();
  }
}
