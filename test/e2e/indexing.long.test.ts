// A real service on a real chain, through everything that can go wrong between them;
// `indexing.test.ts` has reorganisations on SQLite.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fault, startChaosProxy } from '../chaos-proxy.ts';
import { describeKills, describeReorganisations } from '../describe-indexing.ts';
import { assertVerified, stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, trade } from '../indexing-scene.ts';
import { type RunningService, startServiceProcess } from '../start-service-process.ts';

async function untilReadyIs(service: RunningService, wanted: number): Promise<string> {
  for (;;) {
    const response = await fetch(`${service.origin}/v1/ready`);
    const text = await response.text();
    if (response.status === wanted) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describeKills('sqlite');
describeKills('postgres');
describeReorganisations('postgres');

test('an endpoint that fails in every way loses nothing, and /ready shows it', async (t) => {
  let proxyOf: Awaited<ReturnType<typeof startChaosProxy>> | undefined;
  const { chain, env } = await createIndexingScene(t, {
    engine: 'sqlite',
    rpcUrl: async (real) => {
      proxyOf = await startChaosProxy(real);
      return proxyOf.url;
    },
  });
  const proxy = proxyOf ?? assert.fail();
  t.after(() => proxy.stop());
  const service = await startServiceProcess(t, { env });
  await untilAtHead(service, chain);
  for (const fault of ['limit', 'cut', 'partial', 'lag'] satisfies Fault[]) {
    const before = proxy.spoilt();
    proxy.setFault(fault);
    await trade(chain, 1);
    while (proxy.spoilt() < before + 2) await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.setFault('none');
    await untilAtHead(service, chain);
  }
  proxy.setFault('hang');
  await chain.mine(1);
  assert.match(await untilReadyIs(service, 503), /devnet/);
  proxy.setFault('none');
  await untilAtHead(service, chain);
  // An endpoint that once served another chain is disabled until an operator acts.
  proxy.setFault('switch');
  await trade(chain, 1);
  assert.match(await untilReadyIs(service, 503), /devnet/);
  proxy.setFault('none');
  await stopService(service);
  const restarted = await startServiceProcess(t, { env });
  await untilAtHead(restarted, chain);
  await stopService(restarted);
  // Nothing that a faulty endpoint reports is taken for a reorganisation.
  assert.doesNotMatch(service.output() + restarted.output(), /"msg":"reorganisation"/);
  await assertVerified(env);
});
