// Behind one address there may be several nodes, some of them behind: a block without logs is not
// believed before the node that says so is known to have the block.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  ALL,
  address,
  createSceneAdapter,
  endScene,
  PAIR,
  readHonestly,
  recordChain,
  startNode,
  TOKEN,
  TRADER,
  toEvents,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { PoolId } from '../../../model/ids.ts';

afterEach(endScene);

const ONLY = { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR)]) };
const FIRST = 61;

/**
 * Requests with log queries go to a node that is some blocks behind, until the reader has waited;
 * the others to one that is not.
 */
async function createScene(blocks: number) {
  const chain = recordChain();
  for (let n = FIRST; n < FIRST + blocks; n += 1) {
    chain.add([{ from: TRADER, logs: [transfer(n), transfer(n + 1)] }]);
  }
  let isBehind = true;
  let isAsked = false;
  const node = await startNode((method, params) => {
    isAsked ||= method === 'eth_getLogs';
    const isThere = method === 'eth_getLogs' || (method === 'eth_blockNumber' && isAsked);
    return chain.answerUpTo(chain.head - (isThere && isBehind ? 2 : 0))(method, params);
  });
  const adapter = createSceneAdapter([node], {
    sleep: async () => {
      isBehind = false;
    },
  });
  const expected = (await readHonestly(chain)).filter(({ number }) => number >= FIRST);
  return { chain, node, adapter, expected };
}

for (const [what, blocks, linked] of [
  ['the newest block', 1, true],
  ['the last three', 3, true],
  ['many linked blocks', 20, true],
  ['final blocks', 20, false],
] as const) {
  test(`logs of ${what} are waited for`, async () => {
    const { chain, adapter, expected } = await createScene(blocks);
    const range = { fromBlock: FIRST, toBlock: chain.head, linked, only: ONLY };
    const { blocks: read } = await adapter.readBlocks(range);
    assert.deepEqual(toEvents(read), expected);
  });
}

test('a node that is not behind is asked for a new block once, by its hash', async () => {
  const { chain, node, adapter } = await createScene(1);
  await adapter.readBlocks({ fromBlock: 50, toBlock: 55, linked: false, only: ONLY });
  const before = node.calls.length;
  const range = { fromBlock: 58, toBlock: 58, linked: true, only: ONLY };
  await adapter.readBlocks(range);
  const logs = node.calls.slice(before).filter(({ method }) => method === 'eth_getLogs');
  const { hash } = chain.announcementOf(58) as { hash: string };
  assert.ok(logs.length > 0);
  for (const { params } of logs) assert.equal((params[0] as { blockHash: string }).blockHash, hash);
  assert.ok(!node.calls.slice(before).some(({ method }) => method === 'eth_blockNumber'));
});

test('a node that takes ranges only is asked for ranges', async () => {
  const { chain, node, adapter, expected } = await createScene(1);
  node.misbehave(({ method, params }) =>
    method === 'eth_getLogs' && 'blockHash' in (params[0] as object)
      ? { do: 'error', code: -32602, message: 'invalid params' }
      : null,
  );
  const range = { fromBlock: FIRST, toBlock: chain.head, linked: true, only: ONLY };
  assert.deepEqual(toEvents((await adapter.readBlocks(range)).blocks), expected);
});

test('a pool that one part of a range creates is read in the parts after it', async () => {
  const chain = recordChain();
  const node = await startNode(chain);
  const span = { blocksStart: 10, blocksMax: 10 };
  const adapter = createSceneAdapter([node], { span });
  const only = { tokens: new Set([TOKEN]), pools: new Set<PoolId>() };
  const { blocks } = await adapter.readBlocks({ ...ALL, only });
  const countSwaps = (read: { readonly events: readonly { readonly kind: string }[] }[]) =>
    read.flatMap(({ events }) => events).filter(({ kind }) => kind === 'swap').length;
  const swaps = countSwaps(await readHonestly(chain));
  assert.ok(swaps > 20);
  assert.equal(countSwaps(toEvents(blocks)), swaps);
});

/** A node that leaves the token's logs out of filtered replies, but not out of whole blocks. */
async function startForgetful(chain: ReturnType<typeof recordChain>) {
  return await startNode((method, params) => {
    const reply = chain.answerUpTo(chain.head)(method, params);
    const isFiltered = method === 'eth_getLogs' && 'topics' in (params[0] as object);
    if (!isFiltered) return reply;
    return (reply as { readonly address: string }[]).filter(({ address }) => address !== TOKEN);
  });
}

test('a node that leaves logs out of its replies is refused, and another is asked', async () => {
  const chain = recordChain();
  chain.add([{ from: TRADER, logs: [transfer(FIRST), transfer(FIRST + 1)] }]);
  const [forgetful, honest] = [await startForgetful(chain), await startNode(chain)];
  const adapter = createSceneAdapter([forgetful, honest]);
  const range = { fromBlock: FIRST, toBlock: chain.head, linked: true, only: ONLY };
  const { blocks } = await adapter.readBlocks(range);
  const expected = (await readHonestly(chain)).filter(({ number }) => number >= FIRST);
  assert.deepEqual(toEvents(blocks), expected);
  assert.match(adapter.status?.().limitations.join() ?? '', /contradicts itself/);
});

/** By its bloom filter the block may have transfers of the token: another token has some. */
function buildDoubtful(n: number) {
  const other = { ...transfer(n), address: address(0xabc) };
  const otherKind = { ...transfer(n), topics: [`0x${'77'.repeat(32)}`] };
  return [other, otherKind];
}

/** The blocks of which all logs were read, if some time passes between two of them. */
async function listWhole(apartMs: number) {
  const chain = recordChain();
  const told = [FIRST, FIRST + 3];
  const doubtful = [FIRST + 1, FIRST + 4, FIRST + 5];
  for (let n = FIRST; n < FIRST + 6; n += 1) {
    const ofToken = told.includes(n) ? [transfer(n), transfer(n + 1)] : [];
    chain.add([{ from: TRADER, logs: doubtful.includes(n) ? buildDoubtful(n) : ofToken }]);
  }
  const node = await startNode(chain);
  const clock = new ManualClock();
  const adapter = createSceneAdapter([node], { clock, sleep: async (ms) => clock.advance(ms) });
  for (let n = FIRST; n <= chain.head; n += 1) {
    clock.advance(apartMs);
    await adapter.readBlocks({ fromBlock: n, toBlock: n, linked: true, only: ONLY });
  }
  const whole = node.calls.filter(
    ({ method, params }) => method === 'eth_getLogs' && !('topics' in (params[0] as object)),
  );
  const hashes = whole.map(({ params }) => (params[0] as { blockHash: string }).blockHash);
  const toHash = (n: number) => (chain.announcementOf(n) as { hash: string }).hash;
  return { hashes, doubtful: doubtful.map(toHash) };
}

test('a whole block is read where the header leaves a doubt, and not elsewhere', async () => {
  const { hashes, doubtful } = await listWhole(60_000);
  assert.deepEqual(hashes, doubtful);
});

test('whole blocks are read seldom', async () => {
  const { hashes, doubtful } = await listWhole(1000);
  assert.deepEqual(hashes, doubtful.slice(0, 1));
});
