// Ranges of slots from nodes that skip, lag, prune, leave out and lie.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSolanaFixture, skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import { parseBlockTransactions, parseSlotHeader } from '../rpc/parse-solana-block.ts';
import { addTime, describeWhole, HEADER } from '../rpc/slot-blocks.ts';
import { createSolanaDialect } from '../rpc/solana-dialect.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { TransactionVersions } from '../rpc/transaction-versions.ts';
import { readSlotHeader } from './read-slot-header.ts';
import { readSlotRange } from './read-slot-range.ts';

interface FakeBlock {
  readonly parentSlot: number;
  readonly blockTime?: number | null;
  readonly previousBlockhash?: string;
}

const DIALECT = createSolanaDialect('genesis');

function fail(code: number): never {
  const about = { message: 'refused', data: null, method: null, retryAfterMs: null };
  throw DIALECT.classifyError({ code, endpoint: 'node', ...about });
}

/** A node at the network's edge: blocks by slot, and codes of errors by slot. */
function createNode(
  blocks: Readonly<Record<number, FakeBlock>>,
  faults: Readonly<Record<number, number>> = {},
  listed: readonly number[] = Object.keys(blocks).map(Number),
): SolanaNode & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'node',
    asked,
    async request({ method, params: [first, second] }) {
      asked.push(`${method} ${first}`);
      const slot = Number(first);
      if (method === 'getBlocks') {
        return listed.filter((each) => each >= slot && each <= Number(second));
      }
      const code = faults[slot];
      if (code !== undefined) return fail(code);
      const block = blocks[slot];
      if (block === undefined) return fail(-32007);
      return {
        ...{ blockhash: `hash${slot}`, previousBlockhash: `hash${block.parentSlot}` },
        ...{ blockTime: slot, transactions: [], ...block },
      };
    },
  };
}

const versions = new TransactionVersions({ info: () => undefined, warn: () => undefined });
const RANGE = { fromSlot: 10, toSlot: 15, detail: describeWhole(versions), blockCountMax: 100 };
/** Slot 12 is skipped. */
const CHAIN = {
  10: { parentSlot: 9 },
  11: { parentSlot: 10 },
  13: { parentSlot: 11 },
  14: { parentSlot: 13 },
};

function listPositions({ blocks }: { blocks: readonly { header: { position: number } }[] }) {
  return blocks.map(({ header }) => header.position);
}

describe('a range of slots', () => {
  // As Old Faithful sends the first block of an epoch (yellowstone-faithful, multiepoch-getBlock).
  it('goes on over an epoch whose first block does not name the hash before it', async () => {
    const [last, first] = [2 * 432_000 - 1, 2 * 432_000 + 1];
    const unnamed = { parentSlot: last, previousBlockhash: undefined } as unknown as FakeBlock;
    const blocks = {
      [last]: { parentSlot: last - 1 },
      [first]: unnamed,
      [first + 1]: { parentSlot: first },
    };
    const range = { ...RANGE, fromSlot: last, toSlot: first + 1 };
    const { blocks: read } = await readSlotRange(createNode(blocks), range);
    assert.deepEqual(
      read.map(({ header }) => [header.position, header.parentPosition, header.parentHash]),
      [
        [last, last - 1, `hash${last - 1}`],
        [first, last, `hash${last}`],
        [first + 1, first, `hash${first}`],
      ],
    );
    // From the epoch's own first block on, too.
    const { blocks: later } = await readSlotRange(createNode(blocks), {
      ...range,
      fromSlot: first,
    });
    assert.equal(later[0]?.header.parentHash, `hash${last}`);
    // Within an epoch it is a fault.
    const inside = createNode({ 10: { parentSlot: 9 }, 11: { ...unnamed, parentSlot: 10 } });
    await assert.rejects(readSlotRange(inside, RANGE), { kind: 'invalidReply' });
  });

  it('that ends after some blocks reads none of the next range', async () => {
    const blocks = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [10 + index, { parentSlot: 9 + index }]),
    );
    const node = createNode(blocks);
    const range = { ...RANGE, toSlot: 39, blockCountMax: 7 };
    assert.equal((await readSlotRange(node, range)).toSlot, 16);
    const read = node.asked.filter((call) => call.startsWith('getBlock '));
    assert.equal(read.length, 7, read.join(', '));
  });

  it('is read to its last block; slots after that are not known to be skipped', async () => {
    const reading = await readSlotRange(createNode(CHAIN), RANGE);
    assert.deepEqual(listPositions(reading), [10, 11, 13, 14]);
    assert.equal(reading.toSlot, 14);
  });

  it('has the block that the node left out, because its child names it', async () => {
    const node = createNode(CHAIN, {}, [10, 14]);
    assert.deepEqual(listPositions(await readSlotRange(node, RANGE)), [10, 11, 13, 14]);
  });

  it('has the first block although the node lists only the second', async () => {
    const node = createNode(CHAIN, {}, [11]);
    assert.deepEqual(listPositions(await readSlotRange(node, RANGE)), [10, 11]);
  });

  it('ends after as many blocks as are wanted', async () => {
    const reading = await readSlotRange(createNode(CHAIN), { ...RANGE, blockCountMax: 2 });
    assert.deepEqual([listPositions(reading), reading.toSlot], [[10, 11], 11]);
  });

  it('is refused if the node calls a listed slot skipped', async () => {
    for (const code of [-32007, -32009]) {
      const node = createNode(CHAIN, { 11: code });
      await assert.rejects(readSlotRange(node, RANGE), { kind: 'invalidReply' });
    }
  });

  it('ends before a block that the node does not have yet', async () => {
    for (const code of [-32004, -32014]) {
      const reading = await readSlotRange(createNode(CHAIN, { 13: code }), RANGE);
      assert.deepEqual([listPositions(reading), reading.toSlot], [[10, 11], 11]);
    }
  });

  it('lags if the node has no block of it yet', async () => {
    await assert.rejects(readSlotRange(createNode({}), RANGE), { kind: 'lagging' });
  });

  it('fails at once if the node has later blocks: it has replaced those of the range', async () => {
    const node = createNode({ 18: { parentSlot: 9 } });
    await assert.rejects(readSlotRange(node, RANGE), { kind: 'stateUnavailable' });
  });

  it('gets past a gap of any length', async () => {
    const far = { 9000000: { parentSlot: 9 } };
    const reading = await readSlotRange(createNode(far), { ...RANGE, toSlot: 9_000_000 });
    assert.deepEqual(listPositions(reading), [9_000_000]);
  });

  it('fails with the reason where the node pruned or rejects', async () => {
    const cases = {
      ...{ [-32001]: 'stateUnavailable', [-32011]: 'stateUnavailable', [-32015]: 'invalidReply' },
      ...{ [-32602]: 'rejected', [-32601]: 'unsupported', [-32019]: 'network', [-1]: 'network' },
      ...{ 429: 'rateLimited', 403: 'denied' },
    };
    for (const [code, kind] of Object.entries(cases)) {
      const node = createNode(CHAIN, { 10: Number(code) });
      await assert.rejects(readSlotRange(node, RANGE), { kind });
    }
  });

  it('is refused if a block within it does not follow the one before', async () => {
    const broken = { ...CHAIN, 13: { parentSlot: 11, previousBlockhash: 'other' } };
    await assert.rejects(readSlotRange(createNode(broken), RANGE), { kind: 'invalidReply' });
  });

  it('is refused if the list of slots is not of the range', async () => {
    for (const slots of [[11, 10], [9], [16], [10, 10], 'x', null]) {
      const node = { name: 'node', request: async () => slots };
      await assert.rejects(readSlotRange(node, RANGE), { kind: 'invalidReply' });
    }
  });
});

describe('a block without a time', () => {
  it('has that of the block before, wherever a range begins', async () => {
    const untimed = { parentSlot: 10, blockTime: null };
    const node = createNode({ ...CHAIN, 11: untimed, 13: { parentSlot: 11, blockTime: null } });
    const { blocks } = await readSlotRange(node, { ...RANGE, detail: HEADER, fromSlot: 13 });
    assert.equal((await addTime(node, blocks[0]!.header)).timestampMs, 10_000);
    assert.equal((await readSlotHeader(node, 13))?.timestampMs, 10_000);
  });
});

describe('the header at a slot', () => {
  const read = async (slot: number, node = createNode(CHAIN)) =>
    (await readSlotHeader(node, slot))?.position ?? null;

  it('is that of the block before if the next block proves that the slot was skipped', async () => {
    assert.deepEqual([await read(11), await read(12), await read(13)], [11, 11, 13]);
  });

  it('is found although the node left the next block out of its list', async () => {
    assert.equal(await read(12, createNode(CHAIN, {}, [14])), 11);
  });

  it('is unknown beyond the last block, which proves nothing about later slots', async () => {
    assert.equal(await read(15), null);
    assert.equal(await read(14, createNode(CHAIN, { 14: -32004 })), null);
  });

  it('is refused if the node calls the parent of a block skipped', async () => {
    await assert.rejects(read(11, createNode(CHAIN, { 11: -32007 })), { kind: 'invalidReply' });
  });
});

describe('a reply for a block', () => {
  const origin = { node: { name: 'node' }, slot: 10, versions };
  const block = { blockhash: 'a', previousBlockhash: 'b', parentSlot: 9, transactions: [] };

  it('that is malformed is refused', () => {
    const headers = [null, [], 'x', {}, { ...block, blockhash: 1 }];
    for (const reply of [...headers, { ...block, parentSlot: 10 }, { ...block, parentSlot: '9' }]) {
      assert.throws(() => parseSlotHeader(reply, origin), { kind: 'invalidReply' });
    }
    for (const transactions of [null, [{}], [null]]) {
      const reply = { ...block, transactions };
      assert.throws(() => parseBlockTransactions(reply, origin), { kind: 'invalidReply' });
    }
  });

  it('loses its votes, and the others keep their place', () => {
    const build = (program: string) => ({
      transaction: {
        signatures: ['s'],
        message: {
          accountKeys: [program],
          instructions: [{ programIdIndex: 0, accounts: [], data: '' }],
        },
      },
      meta: { err: null },
    });
    const vote = build('Vote111111111111111111111111111111111111111');
    const transactions = [vote, build('Other'), vote];
    const parsed = parseBlockTransactions({ ...block, transactions }, origin);
    assert.deepEqual(
      parsed.map(({ index }) => index),
      [1],
    );
  });

  it('of mainnet is read', { skip }, () => {
    const reply = readSolanaFixture('blocks/block_with_versioned_tx.json');
    const { parentSlot } = reply as { parentSlot: number };
    const from = { ...origin, slot: parentSlot + 1 };
    assert.equal(parseSlotHeader(reply, from).parentPosition, parentSlot);
    assert.ok(parseBlockTransactions(reply, from).length > 0);
  });
});
