// Swaps in recorded pools, encoded for each venue: the decoder, whose places were checked with
// recorded transactions, finds the pool, its vaults and the wallet where the venue's program does.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import { RECORDED_POOLS, readPoolAt, readRecordedPool } from '../../../../test/solana-pools.ts';
import { address } from '../../../../test/test-ids.ts';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../data/program-address.ts';
import type { ProgramInstruction } from '../data/program-instruction.ts';
import { TOKEN_PROGRAM, WRAPPED_SOL } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';
import { ProgramCall } from '../data/transaction-calls.ts';
import { readCurve } from './pump-curve/curve-accounts.ts';
import { SWAP_ENCODERS, VENUES_BY_PROGRAM } from './solana-venues.ts';
import type { SwapOrder } from './swap-order.ts';

const USER = address(encodeBase58(Buffer.alloc(32, 3)));
const AMOUNTS = { fixed: 'input', amountIn: 123_456_789n, amountOut: 987_654n } as const;

/** The call as a block has it. */
function toCall({ program, accounts, data }: ProgramInstruction): ProgramCall {
  const keys = [...new Set([...accounts.map((use) => use.address), program])];
  const indexes = accounts.map((use) => keys.indexOf(use.address));
  const raw = { programIdIndex: keys.indexOf(program), accounts: indexes };
  return new ProgramCall({ ...raw, data: encodeBase58(data) }, keys, { outer: 0, inner: -1 });
}

function buildOrder(
  mints: readonly [Address, Address],
  of: Pick<SwapOrder, 'program' | 'pool' | 'data' | 'open'>,
): SwapOrder {
  const [mintIn, mintOut] = mints;
  const programs = { tokenProgramIn: TOKEN_PROGRAM, tokenProgramOut: TOKEN_PROGRAM };
  const [accountIn, accountOut] = mints.map((mint) =>
    findHeldAccount({ owner: USER, mint, tokenProgram: TOKEN_PROGRAM }),
  ) as [Address, Address];
  const held = { mintIn, mintOut, accountIn, accountOut };
  return { ...of, user: USER, ...held, ...programs, ...AMOUNTS };
}

/** Finds the swap again, and its two amounts in the order of the instruction. */
function readBack(
  venueName: string,
  instruction: ProgramInstruction,
  amounts: readonly bigint[] = [AMOUNTS.amountIn, AMOUNTS.amountOut],
) {
  const venue = VENUES_BY_PROGRAM.get(instruction.program) ?? assert.fail();
  assert.equal(venue.name, venueName);
  const call = toCall(instruction);
  const id = call.data.discriminator(venue.discriminatorBytes);
  const swap = venue.swaps[id] ?? assert.fail(`${venueName} has no swap ${id}`);
  const [site = assert.fail()] = swap.findSites(call) ?? [];
  const at = venue.discriminatorBytes;
  assert.deepEqual([call.data.u64(at), call.data.u64(at + 8)], amounts);
  const uses = new Map(instruction.accounts.map((use) => [use.address, use]));
  assert.equal(uses.get(USER)?.isSigner, true);
  for (const one of [site.pool, ...site.vaults]) assert.equal(uses.get(one)?.isWritable, true, one);
  return { site, swap, uses };
}

/** As Anchor derives it from an instruction's name. */
function nameId(name: string): string {
  return createHash('sha256').update(`global:${name}`).digest().toString('hex', 0, 8);
}

/**
 * By venue, if the output is given: the call, whether the output comes before the most that is
 * spent, and what follows the two amounts, in hex.
 */
interface OutputCall {
  readonly id: string;
  readonly isFirst: boolean;
  readonly ends: RegExp;
}

const OUTPUT_CALLS: Readonly<Record<string, OutputCall>> = {
  'raydium-v4': { id: '11', isFirst: false, ends: /^$/ },
  'raydium-cpmm': { id: nameId('swap_base_output'), isFirst: false, ends: /^$/ },
  // No limit of the price, and that the amount is not the input; on Orca also the direction.
  'raydium-clmm': { id: nameId('swap_v2'), isFirst: true, ends: /^0{32}00$/ },
  'orca-whirlpool': { id: nameId('swap_v2'), isFirst: true, ends: /^0{32}000[01]00$/ },
  // No accounts of transfer hooks.
  'meteora-dlmm': { id: nameId('swap_exact_out2'), isFirst: false, ends: /^0{8}$/ },
  // The mode: 0 is an exact input, 1 as much as there is, 2 an exact output.
  'meteora-damm-v2': { id: nameId('swap2'), isFirst: true, ends: /^02$/ },
  'meteora-dbc': { id: nameId('swap2'), isFirst: true, ends: /^02$/ },
  // Volume is not tracked.
  pump: { id: nameId('buy'), isFirst: true, ends: /^00$/ },
  pumpswap: { id: nameId('buy'), isFirst: true, ends: /^00$/ },
};

function assertGivenOutput(venue: string, input: SwapOrder): void {
  const { encode } = SWAP_ENCODERS.get(venue) ?? assert.fail();
  const { id, isFirst, ends } = OUTPUT_CALLS[venue] ?? assert.fail(venue);
  const { amountIn, amountOut } = AMOUNTS;
  const instruction = encode({ ...input, fixed: 'output' });
  readBack(venue, instruction, isFirst ? [amountOut, amountIn] : [amountIn, amountOut]);
  const data = Buffer.from(instruction.data).toString('hex');
  assert.equal(data.slice(0, id.length), id, venue);
  assert.match(data.slice(id.length + 32), ends, venue);
  assert.deepEqual(instruction.accounts, encode(input).accounts);
}

/** A sale has no instruction that is told what to pay. */
function assertNoOutput(venue: string, input: SwapOrder): void {
  const { encode } = SWAP_ENCODERS.get(venue) ?? assert.fail();
  assert.throws(() => encode({ ...input, fixed: 'output' }), {
    message: /cannot be told what to pay/,
  });
}

describe('an encoded swap', { skip }, () => {
  for (const folder of RECORDED_POOLS) {
    const recorded = readRecordedPool(folder);
    const venue = VENUES_BY_PROGRAM.get(recorded.program)?.name ?? assert.fail();
    const encoder = SWAP_ENCODERS.get(venue);
    if (encoder === undefined) continue;
    it(`of ${folder} has the pool, the vaults and the wallet at their places`, () => {
      const { token0, token1, vault0, vault1 } = readPoolAt(recorded);
      const data = new AccountBytes(recorded.accounts.get(recorded.pool) ?? assert.fail());
      const pool = address(recorded.pool);
      const of = { program: address(recorded.program), pool, data, open: () => null };
      for (const isZeroIn of [true, false]) {
        const order = buildOrder(isZeroIn ? [token0, token1] : [token1, token0], of);
        const { site, uses } = readBack(venue, encoder.encode(order));
        assertGivenOutput(venue, order);
        assert.equal(site.pool, recorded.pool);
        assert.equal(site.user, USER);
        assert.deepEqual([...site.vaults].sort(), [vault0, vault1].sort());
        for (const account of [order.accountIn, order.accountOut]) {
          assert.equal(uses.get(account)?.isWritable, true);
        }
        // Arrays of ticks or bins that the recording has are those that the swap is given.
        const arrays = [...recorded.accounts].filter(([, { length }]) => length > 5000);
        const given = arrays.filter(([key]) => uses.get(address(key))?.isWritable);
        assert.ok(arrays.length === 0 || given.length > 0, `${given.length} of ${arrays.length}`);
      }
    });
  }

  it('on a curve takes lamports, and names who gets the fee', () => {
    const program = address('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');
    const mint = address(encodeBase58(Buffer.alloc(32, 5)));
    const pool = findProgramAddress(program, ['bonding-curve', toSeed(mint)]);
    const global = Buffer.alloc(200);
    global.set(Buffer.alloc(32, 6), 41);
    const recipient = address(encodeBase58(Buffer.alloc(32, 6)));
    const encoder = SWAP_ENCODERS.get('pump') ?? assert.fail();
    const [settings] = encoder.listAccounts?.(program) ?? [];
    const open = (one: Address) => (one === settings ? new AccountBytes(global) : null);
    const curve = Buffer.alloc(151);
    const of = { program, pool, open };
    const encode = (mints: readonly [Address, Address]) =>
      encoder.encode(buildOrder(mints, { ...of, data: new AccountBytes(curve) }));
    const buy = readBack('pump', encode([WRAPPED_SOL, mint]));
    assert.equal(buy.swap.name, 'buy_exact_sol_in');
    assert.deepEqual(buy.site.ownVault, { mint, quoteMint: WRAPPED_SOL });
    assert.equal(buy.uses.get(recipient)?.isWritable, true);
    // As pump's notes on the upgrade of April 2026 count them.
    assert.equal(encode([WRAPPED_SOL, mint]).accounts.length, 18);
    const sale = readBack('pump', encode([mint, WRAPPED_SOL]));
    assert.deepEqual([sale.swap.name, sale.site.pool], ['sell', pool]);
    assert.equal(encode([mint, WRAPPED_SOL]).accounts.length, 16);
    const sold = buildOrder([mint, WRAPPED_SOL], { ...of, data: new AccountBytes(curve) });
    assertNoOutput('pump', sold);
    const bought = buildOrder([WRAPPED_SOL, mint], { ...of, data: new AccountBytes(curve) });
    assertGivenOutput('pump', bought);
    curve.writeUInt8(1, 82);
    assert.equal(encode([mint, WRAPPED_SOL]).accounts.length, 17);
    const dollar = address(encodeBase58(Buffer.alloc(32, 9)));
    for (const pair of [[mint, dollar] as const, [dollar, mint] as const]) {
      assert.throws(() => encode(pair), { name: 'RangeError', message: /not paid in SOL/ });
    }
    const accounts = new Map([[pool, curve]]);
    curve.write('17b7f83760d8ac60', 'hex');
    const query = { program, pool, mint, accounts, nowSeconds: 1, slot: 1 };
    assert.equal(readCurve(query)?.state.flags, 'feeUnknown');
    curve.set(toSeed(dollar), 83);
    assert.equal(readCurve(query)?.state.flags, 'feeUnknown otherQuote');
  });

  it("of PumpSwap buys or sells the pool's base token, whichever is spent", () => {
    const program = address('pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA');
    const mint = address(encodeBase58(Buffer.alloc(32, 5)));
    const pool = address(encodeBase58(Buffer.alloc(32, 7)));
    const data = Buffer.alloc(270);
    for (const [at, key] of [
      [43, toSeed(mint)],
      [75, toSeed(WRAPPED_SOL)],
      [139, Buffer.alloc(32, 11)],
      [171, Buffer.alloc(32, 12)],
      [211, Buffer.alloc(32, 13)],
    ] as const) {
      data.set(key, at);
    }
    const encoder = SWAP_ENCODERS.get('pumpswap') ?? assert.fail();
    const config = new AccountBytes(Buffer.alloc(643, 8));
    const of = { program, pool, open: () => config };
    const encode = (mints: readonly [Address, Address]) =>
      encoder.encode(buildOrder(mints, { ...of, data: new AccountBytes(data) }));
    const buy = encode([WRAPPED_SOL, mint]);
    assert.equal(readBack('pumpswap', buy).swap.name, 'buy_exact_quote_in');
    assert.equal(readBack('pumpswap', encode([mint, WRAPPED_SOL])).swap.name, 'sell');
    assert.deepEqual([buy.accounts.length, encode([mint, WRAPPED_SOL]).accounts.length], [26, 24]);
    const order = (mints: readonly [Address, Address]) =>
      buildOrder(mints, { ...of, data: new AccountBytes(data) });
    assertGivenOutput('pumpswap', order([WRAPPED_SOL, mint]));
    assertNoOutput('pumpswap', order([mint, WRAPPED_SOL]));
    data.writeUInt8(1, 244);
    assert.deepEqual(
      [encode([WRAPPED_SOL, mint]).accounts.length, encode([mint, WRAPPED_SOL]).accounts.length],
      [27, 26],
    );
  });
});
