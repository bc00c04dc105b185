// A service that watches one token of a real chain, and another from some block on.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findPool, findToken } from '../../devnet/deployment.ts';
import { assertVerified, stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, trade } from '../indexing-scene.ts';
import { startServiceProcess } from '../start-service-process.ts';

const run = promisify(execFile);

interface Answer {
  readonly status: number;
  readonly json: {
    readonly chains: readonly { readonly scope: string }[];
    readonly trades: readonly { readonly pool: string; readonly block: number }[];
    readonly coverage: {
      readonly scope: string;
      readonly tradesFrom: number | null;
      readonly holdersComplete: boolean;
      readonly backfill: { readonly status: string } | null;
    };
    readonly asOf: { readonly timestamp: number };
  };
}

test('watches a token from the start and another from when it is added', async (t) => {
  const { chain, env: basic } = await createIndexingScene(t, { engine: 'sqlite' });
  const wire = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v3' }).tokenAddress;
  const other = chain.deployment.tokens.find(
    ({ key, address }) => key !== 'wire' && address !== wire && !['weth', 'usdc'].includes(key),
  );
  assert.ok(other !== undefined);
  assert.equal(findToken(chain.deployment, other.key).address, other.address);
  const env = { ...basic, SCOPE_DEVNET: 'watch', WATCH_DEVNET: wire };
  const service = await startServiceProcess(t, { env });
  const ask = async (path: string): Promise<Answer> => {
    const response = await fetch(`${service.origin}/v1/${path}`);
    return { status: response.status, json: (await response.json()) as Answer['json'] };
  };
  const askToken = (what: string, mint: string) => ask(`${what}?chain=devnet&mint=${mint}`);
  await trade(chain, 1);
  await untilAtHead(service, chain);
  assert.equal((await ask('chains')).json.chains[0]?.scope, 'watch');
  const watched = await askToken('token/trades', wire);
  assert.ok(watched.json.trades.length >= 2, JSON.stringify(watched.json));
  assert.equal(watched.json.coverage.scope, 'watch');
  assert.equal((await askToken('token', wire)).json.coverage.holdersComplete, true);
  assert.equal((await askToken('token', other.address)).status, 404);

  const command = (...typed: readonly string[]) =>
    run(process.execPath, ['src/cli/main.ts', 'watch', ...typed, '--chain', 'devnet'], {
      env: { ...process.env, ...env },
    });
  assert.match((await command('add', other.address)).stdout, /is now watched/);
  // Another process cannot know when the service has seen it: it is asked until it has.
  const before = (await askToken('token', wire)).json.asOf.timestamp;
  const deadlineMs = Date.now() + 240_000;
  for (;;) {
    await chain.buy({ token: other.key, venue: 'uniswap-v2', amountInRaw: 10n ** 16n });
    await untilAtHead(service, chain);
    const { status, json } = await askToken('token', other.address);
    if (status === 200) {
      assert.equal(json.coverage.scope, 'watch');
      assert.ok((json.coverage.tradesFrom ?? 0) >= before, JSON.stringify(json.coverage));
      assert.equal(json.coverage.holdersComplete, false);
      break;
    }
    if (Date.now() > deadlineMs) throw new Error(service.output().slice(-4000));
  }
  assert.equal((await command('list')).stdout.split('\n').length, 3);
  // Its older pools and its history come by themselves, once the block it came in at is final.
  for (;;) {
    await chain.mine(20);
    await untilAtHead(service, chain);
    const { coverage } = (await askToken('token', other.address)).json;
    if (coverage.backfill?.status === 'done' && coverage.holdersComplete) {
      assert.ok((coverage.tradesFrom ?? before) < before, JSON.stringify(coverage));
      break;
    }
    if (Date.now() > deadlineMs) {
      throw new Error(`${JSON.stringify(coverage)} ${service.output().slice(-4000)}`);
    }
  }
  await stopService(service);
  await assertVerified(env);

  // An index of one scope is not taken for one of another.
  const all = await startServiceProcess(t, { env: basic });
  while (!/was indexed with SCOPE_DEVNET=watch, not all/.test(all.output())) {
    if (Date.now() > deadlineMs) throw new Error(all.output().slice(-4000));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
