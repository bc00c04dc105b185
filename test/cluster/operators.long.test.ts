// What operators do and see where several processes share a store: tiers, and the state of all.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createAccessClient } from '../access-client.ts';
import { createTempFolder } from '../start-service-process.ts';
import { createSolanaWallet } from '../wallets.ts';
import { createClusterScene, untilSo, untilThere } from './cluster-scene.ts';

test('a tier holds on every node from the next request; operators see every node', async (t) => {
  const { chain, startNode } = await createClusterScene(t, { seed: 9, blocks: 20 });
  const file = join(createTempFolder(t), 'tiers.json');
  writeFileSync(file, JSON.stringify({ tiers: { pro: { perMinute: 100_000 } } }));
  // The test family stands in the place of EVM chains, so that Solana's wallets sign in.
  const [operator, other] = [createSolanaWallet(), createSolanaWallet()];
  const env = { TIERS_FILE: file, OPERATOR_WALLETS: operator.address };
  const nodes = await Promise.all([
    startNode({ ...env, ROLE: 'indexer' }),
    startNode({ ...env, ROLE: 'api' }),
    startNode({ ...env, ROLE: 'api' }),
  ]);
  const [indexer, ...apis] = nodes;
  for (const api of apis) await untilThere(chain, api);
  const clients = apis.map(({ origin }) => createAccessClient(origin));
  const [client = assert.fail()] = clients;
  const { token } = await client.signIn(other);
  const { key } = await client.issueKey(token);
  const readTiers = () =>
    Promise.all(
      clients.map(
        async (one) => (await one.send('GET', '/entitlements', { bearer: key })).body['tier'],
      ),
    );
  const run = async (...typed: string[]) => {
    const command = ['src/cli/main.ts', 'tiers', ...typed];
    const options = { env: { ...process.env, ...(indexer?.env ?? {}) } };
    return (await promisify(execFile)(process.execPath, command, options)).stdout;
  };
  assert.deepEqual(await readTiers(), ['key', 'key']);
  assert.match(await run('assign', other.address, 'pro'), /has pro; it had none/);
  assert.deepEqual(await readTiers(), ['pro', 'pro']);
  assert.match(await run('list'), new RegExp(`solana:${other.address} {2}pro {2}since `));
  await assert.rejects(run('assign', other.address, 'gold'), /TIERS_FILE has no tier "gold"/);
  await run('remove', other.address);
  assert.deepEqual(await readTiers(), ['key', 'key']);

  const refused = await client.send('GET', '/status', { bearer: token });
  assert.deepEqual([refused.status, refused.body.code], [403, 'OPERATOR_REQUIRED']);
  const { token: bearer } = await client.signIn(operator);
  const readMe = async (one: string) => (await client.send('GET', '/me', { bearer: one })).body;
  const marks = [(await readMe(token))['operator'], (await readMe(bearer))['operator']];
  assert.deepEqual(marks, [false, true]);
  const read = async () => (await client.send('GET', '/status', { bearer })).body;
  await untilSo(
    'all nodes have reported',
    async () => {
      return ((await read())['nodes'] as unknown[]).length === 3;
    },
    nodes,
  );
  const {
    nodes: seen,
    chains,
    store,
  } = (await read()) as unknown as {
    readonly nodes: readonly { role: string; self: boolean; indexes: readonly string[] }[];
    readonly chains: readonly { slug: string; indexed: number; head: number; lastError: unknown }[];
    readonly store: { readonly engine: string; readonly status: string };
  };
  assert.deepEqual([store.engine, store.status], ['postgres', 'ok']);
  assert.deepEqual(seen.map(({ role }) => role).toSorted(), ['api', 'api', 'indexer']);
  assert.equal(seen[0]?.self, true);
  assert.deepEqual(seen.find(({ role }) => role === 'indexer')?.indexes, ['devnet']);
  const [devnet] = chains;
  assert.deepEqual([devnet?.slug, devnet?.lastError], ['devnet', null]);
  assert.ok(devnet !== undefined && devnet.indexed >= 20 && devnet.head >= devnet.indexed);
});
