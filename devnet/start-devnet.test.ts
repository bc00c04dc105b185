// The life of the devnet: the same history from the same seed, and continuation after any end.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { after, before } from '../test/root-hooks.ts';
import { TRADERS } from './accounts.ts';
import { createJsonRpc } from './json-rpc.ts';
import { type Devnet, type DevnetOptions, startDevnet } from './start-devnet.ts';

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mintwire-devnet-'));
});

after(() => rm(root, { recursive: true, force: true }));

function start(name: string, extra: Partial<DevnetOptions> = {}): Promise<Devnet> {
  return startDevnet({
    dataDir: join(root, name),
    traders: 'off',
    history: { hours: 2, blocksPerHour: 4, actionsPerBlock: 3 },
    seed: 'test',
    log: () => undefined,
    ...extra,
  });
}

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly timestamp: Hex;
  readonly transactions: readonly Hex[];
}

const HISTORY_BLOCKS = 8;

/** Blocks, transactions and logs with times relative to the genesis block. */
async function readPast({ node }: Devnet) {
  const readBlock = (tag: string) => node.rpc.call<Block>('eth_getBlockByNumber', tag, false);
  const genesis = await readBlock('0x0');
  const past: unknown[] = [];
  for (let number = 1; ; number++) {
    const block = await readBlock(`0x${number.toString(16)}`);
    // Empty heartbeat blocks come after the history.
    if (block === null || (number > HISTORY_BLOCKS && block.transactions.length === 0)) break;
    const range = { fromBlock: block.number, toBlock: block.number };
    const logs = await node.rpc.call<{ address: Hex; topics: Hex[]; data: Hex }[]>(
      'eth_getLogs',
      range,
    );
    past.push({
      number,
      time: Number(block.timestamp) - Number(genesis.timestamp),
      transactions: block.transactions,
      logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
    });
  }
  return past;
}

async function readHash(devnet: Devnet, number: number): Promise<Hex> {
  const tag = `0x${number.toString(16)}`;
  return (await devnet.node.rpc.call<Block>('eth_getBlockByNumber', tag, false)).hash;
}

async function readHead({ node }: Devnet): Promise<number> {
  return Number(await node.rpc.call<Hex>('eth_blockNumber'));
}

test('two fresh starts from one seed have the same past but for the clock', async () => {
  const [one, two] = await Promise.all([start('one'), start('two')]);
  try {
    const past = await readPast(one);
    assert.ok(past.length > HISTORY_BLOCKS);
    assert.deepEqual(await readPast(two), past);
    assert.notEqual(one.deployment.instance, two.deployment.instance);
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
});

/** Everything that an index is built from, for one block of the history. */
async function readInFull({ node }: Devnet, number: number): Promise<unknown[]> {
  const tag = `0x${number.toString(16)}`;
  return node.rpc.batch([
    { method: 'eth_getBlockByNumber', params: [tag, true] },
    { method: 'eth_getBlockReceipts', params: [tag] },
    { method: 'eth_getLogs', params: [{ fromBlock: tag, toBlock: tag }] },
  ]);
}

test('a restart continues the chain, and one that could not save says so', async () => {
  const first = await start('life');
  const head = await readHead(first);
  const hash = await readHash(first, head);
  const genesisHash = await readHash(first, 0);
  const inFull = await readInFull(first, HISTORY_BLOCKS);
  await first.stop();
  assert.ok(!existsSync(join(root, 'life', 'state.json.running')));

  const second = await start('life');
  assert.equal(second.deployment.instance, first.deployment.instance);
  assert.equal(await readHash(second, head), hash);
  assert.deepEqual(await readInFull(second, HISTORY_BLOCKS), inFull);
  await second.node.rpc.call('evm_mine');
  assert.ok((await readHead(second)) > head);
  // Node and guard are killed together, as when the machine goes down.
  process.kill(-second.node.guardPid, 'SIGKILL');
  await second.node.exited;
  await second.stop();

  const lines: string[] = [];
  const third = await start('life', { log: (line) => lines.push(line) });
  try {
    assert.notEqual(third.deployment.instance, first.deployment.instance);
    assert.match(lines.join('\n'), /took over from a devnet .* goes back to the last saved state/);
    assert.equal(await readHash(third, head), hash);
  } finally {
    await third.stop();
  }
  // A later start might load a second block 0 in the file.
  const saved = await readSavedBlocks('life');
  const [genesis, ...others] = saved.filter((block) => Number(block.number) === 0);
  assert.deepEqual(others, []);
  const one = saved.find((block) => Number(block.number) === 1);
  assert.equal(Number(genesis?.timestamp), first.deployment.genesisTimestamp);
  assert.equal(one?.parentHash, genesisHash);
});

async function readSavedBlocks(name: string) {
  const text = await readFile(join(root, name, 'state.json'), 'utf8');
  const { blocks } = JSON.parse(text) as {
    blocks: { header: { number: Hex; timestamp: Hex; parentHash: Hex } }[];
  };
  return blocks.map(({ header }) => header);
}

test('a chain of a version that did not record its genesis is begun anew', async () => {
  const first = await start('older', { history: { hours: 0 } });
  const { genesisTimestamp: _, ...older } = first.deployment;
  await first.stop();
  await writeFile(first.deploymentPath, JSON.stringify(older));
  const lines: string[] = [];
  const second = await start('older', {
    history: { hours: 0 },
    log: (line) => lines.push(line),
  });
  await second.stop();
  assert.match(lines.join('\n'), /earlier version: starting a new one/);
  assert.notEqual(second.deployment.instance, first.deployment.instance);
});

test('a chain whose archive has grown too large is begun anew', async () => {
  const first = await start('large', { history: { hours: 0 } });
  await first.stop();
  // A sparse file: it takes no space.
  await truncate(join(root, 'large', 'blocks.sqlite'), 1_000_000_001);
  const lines: string[] = [];
  const second = await start('large', { history: { hours: 0 }, log: (line) => lines.push(line) });
  await second.stop();
  assert.match(lines.join('\n'), /has grown to 1000 MB: starting a new one/);
  assert.notEqual(second.deployment.instance, first.deployment.instance);
});

/** Everything about the first blocks, as returned by the devnet. */
async function readBlocks({ rpcUrl }: Devnet, count: number): Promise<unknown[]> {
  const rpc = createJsonRpc(rpcUrl);
  const tags = Array.from({ length: count }, (_, number) => `0x${number.toString(16)}`);
  try {
    return await rpc.batch([
      { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: tags.at(-1) }] },
      ...tags.flatMap((tag) => [
        { method: 'eth_getBlockByNumber', params: [tag, true] },
        { method: 'eth_getBlockReceipts', params: [tag] },
      ]),
    ]);
  } finally {
    rpc.close();
  }
}

test('a chain that outgrew the node serves all of its blocks, also after a restart', async () => {
  const keeping = {
    ...{ archiveDepth: 4, transactionBlocks: 20, chunkBlocks: 4, stateBytes: 0 },
    rollBlocks: 1_000,
  };
  const first = await start('long');
  const count = (await readHead(first)) + 1;
  const blocks = await readBlocks(first, count);
  await first.stop();

  const second = await start('long', { keeping });
  await createJsonRpc(second.rpcUrl).call('anvil_mine', '0x18');
  assert.deepEqual(await readBlocks(second, count), blocks);
  const own = await second.node.rpc.call<Block>('eth_getBlockByNumber', '0x1', false);
  assert.deepEqual(own.transactions, []);
  await second.stop();

  const third = await start('long', { keeping });
  assert.equal(third.deployment.instance, first.deployment.instance);
  assert.equal(await third.node.rpc.call('eth_getBlockByNumber', '0x2', false), null);
  assert.deepEqual(await readBlocks(third, count), blocks);
  await createJsonRpc(third.rpcUrl).call('anvil_mine', '0x8');
  assert.deepEqual(await readBlocks(third, count), blocks);
  await third.stop();

  await rm(join(root, 'long', 'blocks.sqlite'));
  const lines: string[] = [];
  const fourth = await start('long', { keeping, log: (line) => lines.push(line) });
  try {
    assert.notEqual(fourth.deployment.instance, first.deployment.instance);
    assert.match(lines.join('\n'), /starting a new chain/);
  } finally {
    await fourth.stop();
  }
});

interface Receipt {
  readonly from: string;
  readonly status: Hex;
}

/** Traders act about three times per block. */
const BLOCKS_WITHOUT_TRADE_MAX = 100;

/** Waits for the first block from here on with a successful trade and returns its trades. */
async function untilTrade({ rpcUrl }: Devnet, from: number): Promise<readonly Receipt[]> {
  const rpc = createJsonRpc(rpcUrl);
  try {
    for (let number = from; number < from + BLOCKS_WITHOUT_TRADE_MAX; ) {
      const tag = `0x${number.toString(16)}`;
      const receipts = await rpc.call<Receipt[] | null>('eth_getBlockReceipts', tag);
      const traded = receipts?.filter(({ from: sender }) => TRADERS.includes(sender as Hex)) ?? [];
      if (traded.some(({ status }) => status === '0x1')) return traded;
      if (receipts === null) await sleep(50);
      else number += 1;
    }
    return assert.fail(`no trade in ${BLOCKS_WITHOUT_TRADE_MAX} blocks`);
  } finally {
    rpc.close();
  }
}

test('traders take up where an earlier run ended and keep the market moving', async () => {
  const devnet = await start('one', { traders: 'on' });
  try {
    const from = await readHead(devnet);
    assert.ok(from >= HISTORY_BLOCKS);
    assert.ok((await untilTrade(devnet, from + 1)).length > 0);
  } finally {
    await devnet.stop();
  }
});

test('a port that is taken is refused by name', async () => {
  const devnet = await start('two');
  try {
    const port = Number(new URL(devnet.rpcUrl).port);
    await assert.rejects(start('three', { port }), new RegExp(`port ${port} is in use`));
  } finally {
    await devnet.stop();
  }
});
