// Tokens are found with the pools that recorded accounts describe, on every venue; what a node
// refuses, and pools that anyone can make, do not hide them.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  endSolanaScene,
  openSolanaAdapter,
  startSolanaNode,
} from '../../../../test/fakes/solana-endpoints.ts';
import { POOL, QUOTE, setPool, TOKEN } from '../../../../test/fakes/solana-scene.ts';
import { readSolanaTransaction, skipWithoutSolana } from '../../../../test/solana-fixtures.ts';
import {
  RECORDED_POOLS,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
} from '../../../../test/solana-pools.ts';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import { listCalls } from '../data/transaction-calls.ts';
import { findCurveAddress } from '../venues/pump-curve/curve-accounts.ts';
import { findCanonicalPool } from '../venues/pump-swap/pump-swap-accounts.ts';

afterEach(endSolanaScene);

const CURVE_PROGRAM = toSolanaAddress('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
const PUMP_SWAP_PROGRAM = toSolanaAddress('pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA');
const SLOT = 100;
const AT = { position: SLOT, hash: `hash${SLOT}` };

function createChain(): MemorySolana {
  const chain = new MemorySolana();
  for (const slot of [SLOT - 1, SLOT]) chain.add(slot);
  chain.finalized = SLOT;
  return chain;
}

function setMint(chain: MemorySolana, mint: Address, program = TOKEN_PROGRAM): void {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(10n ** 15n, 36);
  data.writeUInt8(6, 44);
  chain.accounts.set(mint, { owner: program, data });
}

function setTokenAccount(chain: MemorySolana, at: string, of: { mint: string; amount: bigint }) {
  const data = Buffer.alloc(165);
  data.set(decodeBase58(of.mint) ?? assert.fail());
  data.writeBigUInt64LE(of.amount, 64);
  chain.accounts.set(at, { owner: TOKEN_PROGRAM, data });
}

async function find(
  chain: MemorySolana,
  token: Address,
  options: { readonly stable?: readonly Address[]; readonly refusesScans?: boolean } = {},
) {
  const node = await startSolanaNode(chain);
  node.misbehave(({ method }) => {
    const isRefused = options.refusesScans === true && method === 'getProgramAccounts';
    return isRefused ? { do: 'error', code: -32601, message: 'Method not found' } : null;
  });
  const adapter = openSolanaAdapter([node], options);
  const query = { token, indexedFrom: SLOT, searchedFrom: SLOT };
  const ask = () => adapter.findToken?.(query, AT) ?? assert.fail();
  return { finding: await ask(), ask, adapter, countScans: () => node.count('getProgramAccounts') };
}

type Found = Awaited<ReturnType<typeof find>>['finding'];

function listPools(finding: Found): string[] {
  assert.equal(finding.kind, 'token');
  return finding.kind === 'token' ? finding.pools.map(({ pool }) => pool) : [];
}

/** The recorded accounts as the chain has them, and token accounts where none were recorded. */
function setRecorded(chain: MemorySolana, recorded: RecordedPool) {
  const { program, pool, accounts } = recorded;
  for (const [key, data] of accounts) chain.accounts.set(key, { owner: program, data });
  const reading = readPoolAt(recorded);
  const { token0, token1, vault0, vault1 } = reading;
  for (const [vault, mint] of [
    [vault0, token0],
    [vault1, token1],
  ] as const) {
    if (!accounts.has(vault)) setTokenAccount(chain, vault, { mint, amount: 5n });
  }
  return { pool, ...reading };
}

describe('a pool by its recorded accounts', { skip: skipWithoutSolana }, () => {
  for (const folder of RECORDED_POOLS) {
    it(`${folder} is found by the coin that is no quote asset, and by both if both are`, async () => {
      const chain = createChain();
      const { pool, kind, token0, token1 } = setRecorded(chain, readRecordedPool(folder));
      for (const mint of [token0, token1]) setMint(chain, mint);
      const { finding } = await find(chain, token0, { stable: [token1] });
      assert.ok(finding.kind === 'token');
      const [found] = finding.pools;
      assert.deepEqual(
        [found?.pool, found?.kind, found?.token0, found?.token1],
        [pool, kind, token0, token1],
      );
      const isCurve = kind === 'segments';
      if (isCurve) return;
      for (const [token, stable] of [
        [token1, [token0]],
        [token1, [token0, token1]],
        [token0, [token0, token1]],
      ] as const) {
        assert.deepEqual(listPools((await find(chain, token, { stable })).finding), [pool]);
      }
    });
  }

  it('the pool of a migrated curve has the address of the recorded migration', () => {
    const raw = readSolanaTransaction('transactions/pivox-pumpswap-migrate-v2-create-pool.json');
    const created = [...listCalls(raw)].find(
      ({ program, data }) =>
        program === PUMP_SWAP_PROGRAM && data.discriminator() === 'e992d18ecf6840bc',
    );
    const coin = created?.account(3) ?? assert.fail();
    assert.equal(findCanonicalPool(PUMP_SWAP_PROGRAM, coin), created?.account(0));
  });
});

describe('a token', () => {
  it('is its mint, of either program; any other account is none after one request', async () => {
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      const chain = createChain();
      setMint(chain, TOKEN, program);
      const { finding } = await find(chain, TOKEN);
      assert.ok(finding.kind === 'token');
      assert.deepEqual([finding.metadata.decimals, finding.pools], [6, []]);
    }
    const chain = createChain();
    setPool(chain, 1n, 1n);
    for (const address of [
      toSolanaAddress(POOL),
      toSolanaAddress(encodeBase58(Buffer.alloc(32, 99))),
    ]) {
      const { finding, countScans } = await find(chain, address);
      assert.deepEqual([finding, countScans()], [{ kind: 'noToken', callCount: 1 }, 0]);
    }
  });

  it('has no pools against tokens that price nothing', async () => {
    const chain = createChain();
    setPool(chain, 1000n, 1000n);
    setMint(chain, QUOTE);
    assert.deepEqual(listPools((await find(chain, TOKEN)).finding), [POOL]);
    const vault = chain.accounts.get(encodeBase58(Buffer.alloc(32, 6))) ?? assert.fail();
    vault.data.set(Buffer.alloc(32, 55));
    assert.deepEqual(listPools((await find(chain, TOKEN)).finding), []);
  });

  it('has its deepest pools, however many shallow ones are made', async () => {
    const chain = createChain();
    setPool(chain, 1_000_000n, 1_000_000n);
    const real = chain.accounts.get(POOL) ?? assert.fail();
    for (let number = 100; number < 130; number += 1) {
      const [pool, vault] = [Buffer.alloc(32, number), Buffer.alloc(32, number + 50)];
      const data = Buffer.from(real.data);
      data.set(vault, 104);
      chain.accounts.set(encodeBase58(pool), { ...real, data });
      const amount = BigInt(number);
      setTokenAccount(chain, encodeBase58(vault), { mint: QUOTE, amount });
    }
    const pools = listPools((await find(chain, TOKEN)).finding);
    const deepest = Array.from({ length: 7 }, (_, index) =>
      encodeBase58(Buffer.alloc(32, 129 - index)),
    );
    assert.deepEqual(pools, [POOL, ...deepest]);
  });
});

describe('a node that lists no accounts', () => {
  it('still gives the coin and its curve, and is not asked for a list again', async () => {
    const chain = createChain();
    setPool(chain, 1000n, 1000n);
    const curve = Buffer.alloc(150);
    curve.write('17b7f83760d8ac60', 'hex');
    for (const at of [8, 16, 24, 32, 40]) curve.writeBigUInt64LE(10n ** 9n, at);
    const address = findCurveAddress(CURVE_PROGRAM, TOKEN);
    chain.accounts.set(address, { owner: CURVE_PROGRAM, data: curve });
    const { finding, ask, adapter, countScans } = await find(chain, TOKEN, { refusesScans: true });
    assert.deepEqual(listPools(finding), [address]);
    const asked = countScans();
    assert.ok(asked > 0);
    assert.deepEqual(listPools(await ask()), [address]);
    assert.equal(countScans(), asked);
    assert.match(adapter.status().limitations.join(), /does not list the pools of tokens/);
  });
});
