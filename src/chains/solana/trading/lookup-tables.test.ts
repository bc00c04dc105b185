// Which lookup tables are used, and for how long what was read of them counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { LookupTables } from './lookup-tables.ts';

const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
const NEVER = 2n ** 64n - 1n;

function nameKey(fill: number): Address {
  return toSolanaAddress(encodeBase58(Buffer.alloc(32, fill)));
}

function buildTable(entries: readonly number[], deactivatedAt = NEVER): Buffer {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(deactivatedAt, 4);
  return Buffer.concat([head, ...entries.map((fill) => Buffer.alloc(32, fill))]);
}

function openScene() {
  const accounts = new Map<string, { owner: string; data: Buffer }>();
  const configs: unknown[] = [];
  let isDown = false;
  let nowMs = 0;
  const node: SolanaNode = {
    name: 'node',
    async request({ params: [keys, config] }) {
      if (isDown) throw new RpcError('network', 'it is down');
      configs.push((config as { commitment: string }).commitment);
      const value = (keys as string[]).map((key) => {
        const account = accounts.get(key);
        const data = [account?.data.toString('base64'), 'base64'];
        return account === undefined ? null : { owner: account.owner, data, lamports: 1 };
      });
      return { context: { slot: 9 }, value };
    },
  };
  const wait = (ms: number) => {
    nowMs += ms;
  };
  const fail = (is: boolean) => {
    isDown = is;
  };
  return { accounts, configs, node, wait, fail, clock: { monotonicMs: () => nowMs } };
}

test('a table is read at a finalized slot, once a minute', async () => {
  const { accounts, configs, node, wait, clock } = openScene();
  const table = nameKey(1);
  accounts.set(table, { owner: TABLE_PROGRAM, data: buildTable([7, 8]) });
  const tables = new LookupTables([table], clock);
  const [first = assert.fail()] = await tables.read(node);
  assert.deepEqual(
    [...first.places],
    [nameKey(7), nameKey(8)].map((key, place) => [key, place]),
  );
  accounts.set(table, { owner: TABLE_PROGRAM, data: buildTable([7, 8, 9]) });
  wait(59_000);
  assert.equal((await tables.read(node))[0]?.places.size, 2);
  wait(1000);
  assert.equal((await tables.read(node))[0]?.places.size, 3);
  assert.deepEqual(configs, ['finalized', 'finalized']);
});

test('what is no table, is given up or cannot be read is left out', async () => {
  const { accounts, node, fail, clock } = openScene();
  const [other, gone, old, good] = [nameKey(1), nameKey(2), nameKey(3), nameKey(4)];
  accounts.set(other, { owner: nameKey(9), data: buildTable([7]) });
  accounts.set(old, { owner: TABLE_PROGRAM, data: buildTable([7], 100n) });
  accounts.set(good, { owner: TABLE_PROGRAM, data: buildTable([7]) });
  const tables = new LookupTables([other, gone, old, good], clock);
  fail(true);
  assert.deepEqual(await tables.read(node), []);
  fail(false);
  assert.deepEqual(
    (await tables.read(node)).map(({ table }) => table),
    [good],
  );
});
