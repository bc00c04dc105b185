// A service of the fuzzer's own, on a real node and temporary folders.

import { createIndexingScene, type Engine, trade, untilAtHead } from '../indexing-scene.ts';
import { type Cleanup, type RunningService, startService } from '../start-service.ts';

/**
 * Callers without credentials have the default budget, each address its own; keys and sessions have
 * plenty, so that requests which carry one reach deep.
 */
const LIMITS: Readonly<Record<string, string>> = {
  TRUSTED_PROXIES: '127.0.0.0/8',
  LIMIT_ANONYMOUS_PER_MINUTE: '120',
  LIMIT_ANONYMOUS_BURST: '60',
  LIMIT_IP_PER_MINUTE: '3000',
  LIMIT_IP_BURST: '600',
  LIMIT_KEY_PER_MINUTE: '1000000',
  LIMIT_KEY_BURST: '1000000',
  LIMIT_SESSION_PER_MINUTE: '1000000',
  LIMIT_SESSION_BURST: '1000000',
  LIMIT_CHALLENGES_MAX: '1000000',
};

const TRADE_EVERY_MS = 1000;

export interface FuzzService extends RunningService {
  /** Lines that the service logged as errors. */
  listErrors(): readonly string[];
}

/** Trades now and then, so that streams and freshness have something to tell. */
function keepTrading(t: Cleanup, step: () => Promise<void>): void {
  let isOver = false;
  const working = (async () => {
    while (!isOver) {
      await step();
      await new Promise((resolve) => setTimeout(resolve, TRADE_EVERY_MS));
    }
  })();
  t.after(async () => {
    isOver = true;
    await working;
  });
}

export async function startFuzzService(
  t: Cleanup,
  options: { readonly engine: Engine },
): Promise<FuzzService> {
  const { chain, env } = await createIndexingScene(t, options);
  const service = await startService(t, {
    env: { ...env, ...LIMITS, STALL_SECONDS: '600', LOG_LEVEL: 'warn', LOG_FORMAT: 'json' },
  });
  await trade(chain, 2);
  await untilAtHead(service, chain);
  keepTrading(t, () => trade(chain, 1));
  return {
    ...service,
    listErrors: () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('"level":"error"') || line.includes('"level":50')),
  };
}
