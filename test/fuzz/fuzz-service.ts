// The fuzzer's own service, on a real node and temporary folders.

import { setTimeout as delay } from 'node:timers/promises';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, type Engine, trade } from '../indexing-scene.ts';
import {
  type Cleanup,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';

/**
 * Anonymous callers have the default budget, per address; keys and sessions have large ones, so
 * that requests with one reach deep.
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
};

const TRADE_EVERY_MS = 5000;

export interface FuzzService extends RunningService {
  /** Lines that the service logged as errors. */
  listErrors(): readonly string[];
}

/** Trades periodically, so that streams and freshness have events. */
function keepTrading(t: Cleanup, step: () => Promise<void>): void {
  const over = new AbortController();
  const { signal } = over;
  const working = (async () => {
    while (!signal.aborted) {
      await step();
      await delay(TRADE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  t.after(async () => {
    over.abort();
    await working;
  });
}

export async function startFuzzService(
  t: Cleanup,
  options: { readonly engine: Engine },
): Promise<FuzzService> {
  // Last first: trading stops before its chain.
  const works: (() => unknown)[] = [];
  t.after(async () => {
    for (const work of works.reverse()) await work();
  });
  const late: Cleanup = { after: (work) => void works.push(work) };
  const { chain, env } = await createIndexingScene(late, options);
  const service = await startServiceProcess(late, {
    env: {
      ...env,
      ...LIMITS,
      STALL_SECONDS: '600',
      WEBHOOK_PRIVATE_TARGETS: 'on',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
    },
  });
  await trade(chain, 2);
  await untilAtHead(service, chain);
  keepTrading(late, () => trade(chain, 1));
  return {
    ...service,
    listErrors: () =>
      service
        .output()
        .split('\n')
        .filter((line) => /"level":[56]0\b/.test(line)),
  };
}
