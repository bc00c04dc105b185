// Readers of candles, who ask all nodes in turn, one request after the other.

import type { ClusterNode } from '../cluster/cluster-scene.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';

const READER_COUNT = 4;
const PAUSE_MS = 20;

interface ReadLoad {
  readonly counts: { readonly answers: number; readonly failures: number };
  stop(): Promise<void>;
}

export function startReadLoad(listNodes: () => readonly ClusterNode[]): ReadLoad {
  const counts = { answers: 0, failures: 0 };
  let isStopped = false;
  const run = async (number: number) => {
    const mints = FAKE_TOKENS.map(showTestAddress);
    for (let turn = number; !isStopped; turn += 1) {
      const nodes = listNodes();
      const node = nodes[turn % nodes.length];
      const mint = mints[turn % mints.length];
      const path = `/v1/token/klines?chain=devnet&mint=${mint}&interval=1m`;
      try {
        const response = await fetch(`${node?.origin}${path}`);
        await response.arrayBuffer();
        counts.answers += 1;
        if (response.status >= 500) counts.failures += 1;
      } catch {
        // It was killed meanwhile.
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const running = Promise.all(Array.from({ length: READER_COUNT }, (_, index) => run(index)));
  return {
    counts,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
