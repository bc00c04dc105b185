// A lookup that a node fails is not an answer, and nothing of it is kept.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import {
  createSceneAdapter,
  endScene,
  startNode,
  TOKEN,
  WETH,
} from '../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../test/fakes/memory-chain.ts';
import type { MisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import type { Address } from '../../model/ids.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { AdoptionJournal } from '../adopt/adoption-journal.ts';
import { TokenLookups } from './token-lookups.ts';

const BLOCK = 5;

let store: Store;
let node: MisbehavingRpc;
let journal: AdoptionJournal;
let adapter: ReturnType<typeof createSceneAdapter>;
let lookups: TokenLookups;
let isAtHead: boolean;
let requested: Address[];
const added: Address[] = [];

async function untilReady(): Promise<void> {
  const discover = async ({ discoveries }: { discoveries: readonly { token: Address }[] }) => {
    added.push(...discoveries.map(({ token }) => token));
    return BLOCK;
  };
  while (!(await lookups.commit(discover))) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(async () => {
  added.length = 0;
  requested = [];
  isAtHead = true;
  store = await createSqliteStore({ file: ':memory:' });
  const call = (to: string) => (to === TOKEN ? `0x${'9'.padStart(64, '0')}` : '0x');
  const code = () => '0x6001';
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, call, code });
  for (let n = 0; n < 10; n += 1) chain.add([]);
  node = await startNode(chain);
  adapter = createSceneAdapter([node]);
  const header = (await adapter.readHeader(BLOCK)) ?? assert.fail();
  journal = new AdoptionJournal();
  journal.reconcile({ block: BLOCK, blockHash: header.hash });
  lookups = new TokenLookups({
    ...{ adapter, store: store.market, journal, readStartBlock: () => BLOCK },
    isAtHead: () => isAtHead,
    adopt: () => false,
    backfill: { request: (token) => void requested.push(token) },
    sleep: async () => undefined,
    log: { warn: () => undefined },
  });
});

afterEach(async () => {
  await lookups.stop();
  await endScene();
  await store.close();
});

it('fails with the node, and succeeds once it is back', async () => {
  node.misbehave(() => ({ do: 'reply', status: 503, text: 'down' }));
  assert.equal(await lookups.lookUp(TOKEN), 'failed');
  assert.deepEqual([added, requested, lookups.status().failed], [[], [], 1]);
  node.misbehave(null);
  const asked = lookups.lookUp(TOKEN);
  await untilReady();
  assert.equal(await asked, 'found');
  assert.deepEqual([added, requested], [[TOKEN], [TOKEN]]);
});

it('is one, however often it is asked for at the same time', async () => {
  const asked = [lookups.lookUp(TOKEN), lookups.lookUp(TOKEN)];
  assert.equal(lookups.status().running, 1);
  await untilReady();
  assert.deepEqual(await Promise.all(asked), ['found', 'found']);
  assert.equal(node.count('eth_getCode'), 1);
});

it('waits for an index that is at the head', async () => {
  isAtHead = false;
  assert.equal(await lookups.lookUp(TOKEN), 'notReady');
  assert.equal(node.count('eth_getCode'), 0);
});

it('begins again when its block was rolled back before it was committed', async () => {
  const before = (await adapter.readHeader(BLOCK - 1)) ?? assert.fail();
  const asked = lookups.lookUp(TOKEN);
  journal.rollBack({ block: BLOCK - 1, blockHash: before.hash });
  await untilReady();
  assert.equal(await asked, 'found');
  assert.deepEqual(added, [TOKEN]);
  const blocks = node.calls.filter(({ method }) => method === 'eth_getCode');
  const hashes = blocks.map(({ params }) => (params[1] as { blockHash: string }).blockHash);
  assert.equal(hashes.length, 2);
  assert.equal(hashes[1], before.hash);
});

it('looks up again what a rollback has removed', async () => {
  const asked = lookups.lookUp(TOKEN);
  await untilReady();
  await asked;
  lookups.noteRollback(BLOCK);
  assert.equal(lookups.status().running, 0);
  lookups.noteRollback(BLOCK - 1);
  assert.equal(lookups.status().running, 1);
  await untilReady();
  assert.deepEqual(added, [TOKEN, TOKEN]);
});

it('stops without an answer', async () => {
  const asked = lookups.lookUp(WETH);
  await lookups.stop();
  assert.notEqual(await asked, 'found');
});
