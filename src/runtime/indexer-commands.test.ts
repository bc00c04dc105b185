// Commands reach the process that indexes a chain, and outcomes the one that asked, on a real
// PostgreSQL.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '../../test/postgres.ts';
import { address, poolId } from '../../test/test-ids.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { createPostgresStore } from '../store/postgres/create-postgres-store.ts';
import { IndexerCommands } from './indexer-commands.ts';
import type { IndexerCommand } from './indexer-message.ts';

const TOKEN = address(`0x${'a1'.repeat(20)}`);

const PROBE = poolId('0xprobe');

async function createScene(t: TestContext) {
  const database = await createTestDatabase();
  const store = await createPostgresStore({ url: database.url });
  t.after(async () => {
    await store.close();
    await database.drop();
  });
  const probed = new Set<string>();
  const startNode = (node: string, indexed: readonly string[]) => {
    const posted: IndexerCommand[] = [];
    const outcomes: string[] = [];
    const commands = new IndexerCommands({
      signals: store.signals,
      node,
      isIndexing: (chain) => indexed.includes(chain),
      post: (command) => {
        if (command.type === 'adopt' && command.pools[0] === PROBE) probed.add(node);
        else posted.push(command);
        return true;
      },
      onLookUp: (command) => posted.push(command),
      onLookedUp: ({ token, outcome }) => outcomes.push(`${token} ${outcome}`),
      onError: (error) => assert.fail(String(error)),
    });
    t.after(() => commands.stop());
    return { commands, posted, outcomes };
  };
  const nodes = [
    startNode('a', []),
    startNode('b', ['base']),
    startNode('c', ['polygon']),
  ] as const;
  // The connection that listens may still be on its way: what is sent before it is lost.
  const [asking] = nodes;
  const probe = setInterval(() => {
    asking.commands.send({ type: 'adopt', chain: 'base', pools: [PROBE] });
  }, 20);
  await waitUntil(() => probed.has('b'));
  clearInterval(probe);
  return nodes;
}

test('each command goes to the process that indexes its chain, and to no other', async (t) => {
  const [asking, base, polygon] = await createScene(t);
  const pools = Array.from({ length: 120 }, (_, index) =>
    poolId(`0x${String(index).padStart(64, '0')}`),
  );
  assert.equal(asking.commands.send({ type: 'adopt', chain: 'base', pools }), true);
  const wanted = { type: 'backfill', chain: 'polygon', token: TOKEN, caller: 'c' } as const;
  asking.commands.send(wanted);
  await waitUntil(() => base.posted.length >= 3 && polygon.posted.length >= 1);
  const adopted = base.posted.flatMap((one) => (one.type === 'adopt' ? one.pools : []));
  assert.deepEqual(adopted.sort(), pools, 'in several messages, in any order');
  assert.deepEqual(polygon.posted, [wanted]);
  assert.deepEqual(asking.posted, []);
  base.commands.send({ ...wanted, chain: 'base' });
  assert.deepEqual(base.posted.at(-1), { ...wanted, chain: 'base' }, 'its own at once');
});

test('the outcome of a lookup reaches the process that asked, once', async (t) => {
  const [asking, base, other] = await createScene(t);
  asking.commands.send({ type: 'lookUp', chain: 'base', token: TOKEN, caller: 'x' });
  await waitUntil(() => base.posted.length >= 1);
  base.commands.settle({ chain: 'base', token: TOKEN, outcome: 'found' });
  base.commands.settle({ chain: 'base', token: TOKEN, outcome: 'noToken' });
  await waitUntil(() => asking.outcomes.length >= 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(asking.outcomes, [`${TOKEN} found`]);
  assert.deepEqual([base.outcomes, other.outcomes], [[], []]);
});

test('what is not a known command is not posted, and text that is not JSON is reported', async () => {
  let receive: (text: string) => void = () => assert.fail('nobody listens');
  const [posted, errors]: [IndexerCommand[], unknown[]] = [[], []];
  const commands = new IndexerCommands({
    signals: {
      send: async () => undefined,
      listen: (_channel, onText) => {
        receive = onText;
        return async () => undefined;
      },
    },
    node: 'a',
    isIndexing: () => true,
    post: (command) => posted.push(command) > 0,
    onLookUp: (command) => posted.push(command),
    onLookedUp: () => assert.fail('nobody asked'),
    onError: (error) => errors.push(error),
  });
  const tell = (command: object) =>
    receive(JSON.stringify({ type: 'command', from: 'b', command }));
  for (const text of ['not JSON', 'null', '{"type":"command","from":"b"}']) receive(text);
  assert.equal(errors.length, 3);
  for (const type of ['stop', 'later', undefined, 'adopt', 'backfill', 'lookUp']) {
    tell({ type, chain: 'base' });
  }
  receive('{"type":"later","to":"a"}');
  assert.deepEqual([posted, errors.length], [[], 3]);
  const known = { type: 'lookUp', chain: 'base', token: TOKEN };
  tell(known);
  assert.deepEqual(posted, [{ ...known, caller: 'b' }], 'the version before names no caller');
  await commands.stop();
});
