// Who owns the shares of pools on Solana: what was destroyed, and what lies in Raydium's locker.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { readLiquidityOwners } from './read-liquidity-owners.ts';

const SLOT = 99;
const MINT = nameKey(7);
const POOL = nameKey(8);
const LOCK_AUTHORITY = toSolanaAddress('3f7GcQFG397GAaEnv51zR6tsTVihYRydnydDD1cXekxH');
const PROGRAMS = {
  cpmm: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
  v4: '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  pumpSwap: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
  whirlpool: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
} as const;
/** As the programs' own layouts have them: the mint of shares, and how many the pool counts. */
const PLACES = { cpmm: [136, 333], v4: [464, 720], pumpSwap: [107, 203] } as const;

function nameKey(fill: number): Address {
  return toSolanaAddress(encodeBase58(Buffer.alloc(32, fill)));
}

function buildPool(name: keyof typeof PLACES, counted: bigint): Buffer {
  const { layout } = VENUES_BY_PROGRAM.get(PROGRAMS[name]) ?? assert.fail();
  const data = Buffer.alloc(layout?.byteCount ?? 752);
  Buffer.from(layout?.discriminator ?? '', 'hex').copy(data);
  const [mintAt, countAt] = PLACES[name];
  Buffer.from(decodeBase58(MINT) ?? []).copy(data, mintAt);
  data.writeBigUInt64LE(counted, countAt);
  return data;
}

function buildAmount(at: number, amount: bigint): Buffer {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, at);
  return data;
}

function createNode(accounts: ReadonlyMap<string, { owner: string; data: Buffer }>): SolanaNode {
  const toAccount = (key: string) => {
    const found = accounts.get(key);
    if (found === undefined) return null;
    return { owner: found.owner, data: [found.data.toString('base64'), 'base64'], lamports: 1 };
  };
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    assert.equal(method, 'getMultipleAccounts');
    const value = (params[0] as string[]).map(toAccount);
    return { context: { slot: SLOT }, value };
  };
  return { name: 'node', request } as unknown as SolanaNode;
}

function read(program: string, data: Buffer, of: { supply: bigint; locked?: bigint }) {
  const held = { owner: LOCK_AUTHORITY, mint: MINT, tokenProgram: TOKEN_PROGRAM };
  const token = (bytes: Buffer) => ({ owner: TOKEN_PROGRAM as string, data: bytes });
  const accounts = new Map([
    [POOL as string, { owner: program, data }],
    [MINT as string, token(buildAmount(36, of.supply))],
    ...(of.locked === undefined
      ? []
      : [[findHeldAccount(held) as string, token(buildAmount(64, of.locked))] as const]),
  ]);
  return readLiquidityOwners(createNode(accounts), [POOL, nameKey(9)], AbortSignal.timeout(1000));
}

for (const name of ['cpmm', 'v4', 'pumpSwap'] as const) {
  test(`${name}: shares that are missing from the mint's supply were burned`, async () => {
    const [owners, missing] = await read(PROGRAMS[name], buildPool(name, 1000n), { supply: 40n });
    assert.deepEqual(owners, {
      ...{ sharesRaw: 1000n, burnedRaw: 960n, lockedRaw: 0n, lockers: [] },
      ...{ untilMs: null, block: SLOT },
    });
    assert.equal(missing, null, 'an account that is not there');
  });
}

test("what Raydium's locker holds is locked, without an end", async () => {
  const of = { supply: 900n, locked: 650n };
  const [owners] = await read(PROGRAMS.cpmm, buildPool('cpmm', 1000n), of);
  const { burnedRaw, lockedRaw, lockers, untilMs } = owners ?? assert.fail();
  assert.deepEqual([burnedRaw, lockedRaw, untilMs], [100n, 650n, null]);
  assert.deepEqual(
    lockers.map(({ address }) => address),
    [LOCK_AUTHORITY],
  );
});

test('a pool of another kind, or of another form, has no shares', async () => {
  const whole = buildPool('cpmm', 1000n);
  assert.deepEqual(await read(PROGRAMS.whirlpool, whole, { supply: 1n }), [null, null]);
  const odd = Buffer.from(whole);
  odd.fill(0, 0, 8);
  assert.deepEqual(await read(PROGRAMS.cpmm, odd, { supply: 1n }), [null, null]);
  assert.deepEqual(await read(PROGRAMS.v4, Buffer.alloc(700), { supply: 1n }), [null, null]);
});
