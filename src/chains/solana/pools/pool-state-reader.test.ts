// A pool's state for adoption: all of it of one slot, on the terms that it was met with, and with
// its flags.

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import type { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import { buildNamedMint } from '../../../../test/fakes/recorded-solana.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
  WHOLE_RANGE,
} from '../../../../test/fakes/solana-endpoints.ts';
import { setPool, TOKEN } from '../../../../test/fakes/solana-scene.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { EPOCH_ACCOUNTS } from '../tokens/mint-fees.ts';
import { listMintFlags } from './pool-state-reader.ts';

afterEach(endSolanaScene);

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const RESERVES = { reserve0: 50_000_000n, reserve1: 50_000_000n };

/** The pool of the chain, and a function that reads its state. */
async function meetPool(chain: MemorySolana) {
  const node = await startSolanaNode(chain);
  const adapter = openSolanaAdapter([node]);
  const { blocks } = await adapter.readBlocks(WHOLE_RANGE);
  const created = blocks.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'poolCreated' ? [event.description] : [])),
  );
  const description = created[0] ?? assert.fail();
  const read = async (position: number, of: PoolDescription = description) => {
    const query = { description: of, covered: null, callCountMax: 20 };
    return await adapter.readPoolPage?.(query, { position, hash: `hash${position}` });
  };
  return { node, description, read };
}

it('is of the block that the node is at, in three calls', async () => {
  const chain = buildSolanaChain();
  chain.add(106);
  const { read } = await meetPool(chain);
  const reading = await read(104);
  if (reading?.kind !== 'page') assert.fail(reading?.kind);
  assert.deepEqual(reading.page.state, { ...RESERVES, flags: '', transferFees: '', opens: '' });
  assert.deepEqual(reading.page.later, { position: 106, hash: 'hash106' });
  assert.equal(reading.callCount, 3);
});

it('has the reserves of its slot while the pool changes between two calls', async () => {
  const chain = buildSolanaChain();
  const { node, read } = await meetPool(chain);
  let reads = 0;
  node.misbehave(({ method }) => {
    if (method !== 'getMultipleAccounts') return null;
    reads += 1;
    chain.add(105 + reads);
    setPool(chain, 50_000_000n + BigInt(reads), 50_000_000n);
    return null;
  });
  const reading = await read(105);
  if (reading?.kind !== 'page') assert.fail(reading?.kind);
  const { reserve0 } = reading.page.state as { reserve0: bigint };
  assert.deepEqual([reserve0, reading.page.later?.position], [50_000_002n, 107]);
});

it('of a pool on other terms is not taken', async () => {
  const { description, read } = await meetPool(buildSolanaChain());
  const terms = { ...description.terms, protocolSharePips: 1 };
  assert.equal((await read(105, { ...description, terms } as PoolDescription))?.kind, 'noAnswer');
});

/** An extension of a mint: its type, its length, then its content. */
function buildExtension(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(content.length, 2);
  return Buffer.concat([head, content]);
}

const FEE = Buffer.alloc(108);
FEE.writeUInt16LE(100, 106);
const EXTENSIONS = [
  ['transferFee', buildExtension(1, FEE)],
  ['frozenAccounts', buildExtension(6, Buffer.from([2]))],
  ['nonTransferable', buildExtension(9, Buffer.alloc(0))],
  ['transferHook', buildExtension(14, Buffer.alloc(64, 7))],
] as const;

for (const [flag, extension] of EXTENSIONS) {
  it(`names the extension of a mint: ${flag}`, async () => {
    const chain = buildSolanaChain();
    const mint = buildNamedMint({ supply: 10n ** 9n, decimals: 6, name: 'Odd', symbol: 'ODD' });
    const harmless = [buildExtension(1, Buffer.alloc(108)), buildExtension(14, Buffer.alloc(64))];
    const { read } = await meetPool(chain);
    const set = (extensions: readonly Buffer[]) => {
      const data = Buffer.concat([mint, ...extensions]);
      chain.accounts.set(TOKEN, { owner: TOKEN_2022, data });
    };
    const readFlags = async () => {
      const reading = await read(105);
      return reading?.kind === 'page' ? (reading.page.state as { flags: string }).flags : null;
    };
    set(harmless);
    assert.equal(await readFlags(), '');
    set([extension]);
    assert.equal(await readFlags(), flag);
  });
}

it('has the fee of transfers if the epoch is known', async () => {
  const chain = buildSolanaChain();
  const mint = buildNamedMint({ supply: 10n ** 9n, decimals: 6, name: 'Odd', symbol: 'ODD' });
  const { read } = await meetPool(chain);
  const fee = Buffer.alloc(108);
  fee.writeBigUInt64LE(70n, 90 + 8);
  fee.writeUInt16LE(100, 90 + 16);
  chain.accounts.set(TOKEN, {
    ...{ owner: TOKEN_2022, data: Buffer.concat([mint, buildExtension(1, fee)]) },
  });
  const [clock = assert.fail(), schedule = assert.fail()] = EPOCH_ACCOUNTS;
  const rules = Buffer.alloc(33);
  rules.writeBigUInt64LE(1000n, 0);
  const now = Buffer.alloc(40);
  now.writeBigUInt64LE(4n, 16);
  chain.accounts.set(clock, { owner: TOKEN_2022, data: now });
  chain.accounts.set(schedule, { owner: TOKEN_2022, data: rules });
  const reading = await read(105);
  if (reading?.kind !== 'page') return assert.fail(reading?.kind);
  const { flags, transferFees } = reading.page.state as Record<string, string>;
  assert.equal(flags, '');
  // A new fee would hold two epochs later at the earliest.
  assert.match(transferFees ?? '', /^(100:70\/|\/100:70)\/6000$/);
});

it('is not exact with a fee of transfers, unless the program was compared with ours', () => {
  const flags = (venue: string, fees: string) => listMintFlags(venue, ['transferFee'], fees);
  for (const venue of ['raydium-cpmm', 'orca-whirlpool']) {
    assert.deepEqual(flags(venue, '100:70//6000'), [], venue);
  }
  for (const venue of ['raydium-clmm', 'meteora-dlmm', 'raydium-launchlab']) {
    assert.deepEqual(flags(venue, '100:70//6000'), ['transferFeeUnchecked'], venue);
    assert.deepEqual(flags(venue, ''), ['transferFee'], `${venue}: the fee is not known`);
  }
});
