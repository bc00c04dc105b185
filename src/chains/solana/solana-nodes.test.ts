// What readers ask of Solana's nodes, and balances for `verify`.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
} from '../../../test/fakes/solana-endpoints.ts';
import {
  POOL,
  TOKEN,
  TRADER,
  toSwapSignature,
  VAULT_OWNER,
} from '../../../test/fakes/solana-scene.ts';
import { createSolanaWallet } from '../../../test/wallets.ts';
import { systemClock } from '../../lib/clock.ts';
import { parseSignature, SYSTEM_PROGRAM, toSolanaAddress } from './data/solana-ids.ts';
import { openSolanaNodes } from './solana-nodes.ts';

const NEVER = new AbortController().signal;

afterEach(endSolanaScene);

async function openNodes() {
  const chain = buildSolanaChain();
  const node = await startSolanaNode(chain);
  const source = { endpoints: [node.url], chain: 'solana' } as const;
  const log = { info: () => undefined, warn: () => undefined };
  const nodes = openSolanaNodes(
    { ...source, devnet: null, startBlock: null, instance: null },
    { clock: systemClock, log, genesis: chain.genesis },
  );
  return { chain, node, nodes };
}

test('an address is a wallet if a key can sign for it and no program owns it', async (t) => {
  const { nodes } = await openNodes();
  t.after(() => nodes.close());
  const wallet = toSolanaAddress(createSolanaWallet().address);
  const found = await nodes.findContracts([wallet, VAULT_OWNER, TOKEN], NEVER);
  assert.deepEqual([...found.values()], [false, true, true]);
});

test('a transaction is found by its signature, with its block and its pools', async (t) => {
  const { nodes } = await openNodes();
  t.after(() => nodes.close());
  const read = async (id: number) =>
    nodes.transactions.readTransaction(parseSignature(toSwapSignature(id)) ?? assert.fail());
  const fate = await read(1);
  assert.ok(fate.state === 'mined');
  assert.deepEqual([fate.isReverted, fate.block.position], [false, 102]);
  assert.ok(fate.poolCandidates.includes(POOL));
  const failed = await read(2);
  assert.ok(failed.state === 'mined' && failed.isReverted);
  assert.deepEqual(await read(99), { state: 'unknown', searchedHeight: 101 });
});

test('balances at a block are known unless the accounts were used since', async () => {
  const chain = buildSolanaChain();
  const node = await startSolanaNode(chain);
  const adapter = openSolanaAdapter([node]);
  const keys = [
    { token: TOKEN, owner: VAULT_OWNER },
    { token: TOKEN, owner: TRADER },
  ];
  const at = async (position: number) => {
    const header = (await adapter.readHeader(position)) ?? assert.fail();
    return adapter.readBalances?.(keys, header);
  };
  // The trader has no token account on this chain.
  assert.deepEqual(await at(105), [50_000_000n, 0n]);
  assert.deepEqual(await at(104), [50_000_000n, 0n]);
  // It may have closed one since.
  assert.deepEqual(await at(102), [null, null]);
});

test('holdings at a block are null where they changed since', async (t) => {
  const { nodes, chain } = await openNodes();
  t.after(() => nodes.close());
  const read = (position: number) => {
    const block = { position, hash: `hash${position}` };
    return nodes.readHoldings({ owner: VAULT_OWNER, tokens: [TOKEN], block }, NEVER);
  };
  chain.accounts.set(VAULT_OWNER, { owner: SYSTEM_PROGRAM, data: Buffer.alloc(0) });
  assert.deepEqual(await read(105), { nativeRaw: 1n, amountsRaw: [50_000_000n] });
  assert.deepEqual(await read(102), { nativeRaw: null, amountsRaw: [null] });
});
