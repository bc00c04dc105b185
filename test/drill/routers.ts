// Random trades through each kind of router, each executed and compared with its price.

import { startBookScene } from '../book-scene.ts';
import { startCurveScene } from '../curve-scene.ts';
import { createRandom } from '../fakes/create-random.ts';
import { type RoutedScene, startRouterScene } from '../router-scene.ts';
import { RouterTrader } from '../router-trades.ts';
import { startVaultScene } from '../vault-scene.ts';

interface RouterDrill {
  readonly count: number;
  readonly seed: number;
  /** Only the router of this name; all of them if absent. */
  readonly only?: string | undefined;
  readonly log: (line: string) => void;
}

/** How many trades are made between two lines of the log. */
const LOGGED_EACH = 25;

/** The routers that were tried. */
async function drillScene(scene: RoutedScene, wanted: RouterDrill): Promise<number> {
  const { count, seed, only, log } = wanted;
  let tried = 0;
  for (const [index, router] of scene.routers.entries()) {
    if (only !== undefined && router.name !== only) continue;
    tried += 1;
    const trader = new RouterTrader(scene, router, createRandom(seed * 100 + index));
    for (let done = 1; done <= count; done += 1) {
      await trader.trade();
      if (done % LOGGED_EACH === 0 && done < count) log(`${router.name}: ${done} of ${count}`);
    }
    const what = router.isProven ? 'the real contract' : 'a stand-in';
    log(`${router.name} (${what}): ${JSON.stringify(trader.tally)}`);
  }
  return tried;
}

/** Throws if there is no router of the name. */
export async function drillRouters(wanted: RouterDrill): Promise<void> {
  let tried = 0;
  for (const start of [startRouterScene, startVaultScene, startCurveScene, startBookScene]) {
    // A scene takes a while to start: it is left out where the router has been found.
    if (wanted.only !== undefined && tried > 0) break;
    const scene = await start();
    try {
      tried += await drillScene(scene, wanted);
    } finally {
      await scene.stop();
    }
  }
  if (tried === 0) throw new Error(`there is no router ${wanted.only}`);
}
