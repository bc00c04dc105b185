// Exchanges that are read by their transfers, in recorded transactions of mainnet. Jupiter, which
// called most of them, wrote what they exchanged into events of its own: a second source.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../../test/solana-fixtures.ts';
import { transactionId } from '../../../../../test/test-ids.ts';
import { encodeBase58 } from '../../../../lib/base58.ts';
import type { Address } from '../../../../model/ids.ts';
import { checkTradeBalances } from '../../blocks/check-balances.ts';
import { decodeTrades } from '../../blocks/decode-trades.ts';
import type { RawTransaction } from '../../data/raw-transaction.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { TOKEN_PROGRAM, toSolanaAddress } from '../../data/solana-ids.ts';
import { TokenMoves } from '../../data/token-moves.ts';
import { listCalls, ProgramCall } from '../../data/transaction-calls.ts';
import { readTransferTrade } from './read-transfer-trade.ts';
import { isTransferSwap, TRANSFER_VENUES } from './transfer-venue.ts';

const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
const SWAP_EVENT = '40c6cde8260871e2';
const SHARED = new URL('../../../../../../shared/fixtures/venues2/', import.meta.url);

function listFiles(): string[] {
  const file = readSolanaFixture('expected.json') as { transactions: { file: string }[] };
  return file.transactions.map((one) => one.file);
}

/** What Jupiter says that each exchange did. */
function listJupiterSwaps(raw: RawTransaction) {
  return listCalls(raw)
    .filter(({ program }) => program === JUPITER)
    .flatMap((call) => readSelfEvents(call, SWAP_EVENT))
    .map((event) => ({
      ...{ program: event.key(8), offered: event.u64(72) },
      text: [event.key(40), event.key(80), event.u64(112)].join(' '),
    }));
}

const trades = (raw: RawTransaction) =>
  decodeTrades(raw).trades.flatMap((trade) =>
    trade.sighting === undefined ? [] : [{ ...trade, sighting: trade.sighting }],
  );

describe('recorded exchanges', { skip }, () => {
  it('are found, each once', () => {
    const counts = new Map<string, number>();
    for (const file of skip === false ? listFiles() : []) {
      for (const { venue } of trades(readSolanaTransaction(file))) {
        counts.set(venue, (counts.get(venue) ?? 0) + 1);
      }
    }
    assert.deepEqual(Object.fromEntries([...counts].sort()), {
      ...{ 'lifinity-v2': 2, 'meteora-damm-v1': 1, 'obric-v2': 2, phoenix: 2, zerofi: 1 },
    });
  });

  it('exchanged what Jupiter says', () => {
    let compared = 0;
    for (const file of skip === false ? listFiles() : []) {
      const raw = readSolanaTransaction(file);
      const told = listJupiterSwaps(raw);
      for (const { venue, sighting, mintIn, amountIn, mintOut, amountOut } of trades(raw)) {
        const own = told.filter(({ program }) => program === sighting.program);
        if (own.length === 0) continue;
        const text = [mintIn, mintOut, amountOut].join(' ');
        const found = own.find((one) => one.text === text) ?? assert.fail(`${file}: ${text}`);
        // An order book takes whole lots: what is left of the offered amount stays where it was.
        if (venue === 'phoenix') assert.ok(amountIn <= found.offered);
        else assert.equal(amountIn, found.offered, file);
        compared += 1;
      }
    }
    assert.equal(compared, 8);
  });

  it('leave the vaults as the balance rows say', () => {
    let compared = 0;
    for (const file of skip === false ? listFiles() : []) {
      const raw = readSolanaTransaction(file);
      if (trades(raw).length === 0) continue;
      const check = checkTradeBalances(raw);
      assert.deepEqual(check.contradictions, [], file);
      compared += check.compared;
    }
    assert.ok(compared >= 10, `${compared}`);
  });
});

describe('a transaction of AlphaQ', {
  skip: existsSync(SHARED) ? false : 'fixtures/venues2 is absent',
}, () => {
  interface Flat {
    readonly at: readonly [number, number];
    readonly program: string;
    readonly accounts: readonly string[];
    readonly data: string;
  }

  it('has what its two transfers moved', () => {
    const { instructions, expected } = JSON.parse(
      readFileSync(new URL('alphaq-transaction.json', SHARED), 'utf8'),
    ) as {
      readonly instructions: readonly Flat[];
      readonly expected: {
        readonly call: readonly [number, number];
        readonly in: { readonly to: string; readonly amount: string };
        readonly out: { readonly from: string; readonly amount: string };
      };
    };
    const start = instructions.findIndex(({ at }) => at.join() === expected.call.join());
    const [call = assert.fail(), ...inner] = instructions.slice(start, start + 3).map(toCall);
    call.nested.push(...inner);
    const { to } = expected.in;
    const isIn = (account: string) => account === to || account === inner[0]?.account(0);
    const mintOf = (account: Address) => toSolanaAddress(isIn(account) ? MINT_A : MINT_B);
    const trade = readTrade('alphaq', call, mintOf) ?? assert.fail('it is no trade');
    assert.deepEqual(
      [trade.vaultIn, String(trade.amountIn), trade.vaultOut, String(trade.amountOut)],
      [expected.in.to, expected.in.amount, expected.out.from, expected.out.amount],
    );
  });

  function toCall({ program, accounts, data }: Flat): ProgramCall {
    return buildCall(program, accounts, Buffer.from(data, 'hex'));
  }
});

function buildCall(program: string, accounts: readonly string[], data: Buffer): ProgramCall {
  const keys = [...new Set([...accounts, program])];
  const indexes = accounts.map((account) => keys.indexOf(account));
  const raw = { programIdIndex: keys.indexOf(program), accounts: indexes, stackHeight: 2 };
  return new ProgramCall({ ...raw, data: encodeBase58(data) }, keys, { outer: 0, inner: 0 });
}

const key = (number: number) => encodeBase58(Buffer.alloc(32, number));
const [USER, POOL, VAULT_A, VAULT_B, USER_A, USER_B, MINT_A, MINT_B] = [1, 2, 3, 4, 5, 6, 7, 8].map(
  key,
) as [string, string, string, string, string, string, string, string];

function transfer(
  ends: { from: string; to: string; mint: string; authority: string },
  amount: bigint,
) {
  const data = Buffer.alloc(10);
  data.writeUInt8(12);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(6, 9);
  return buildCall(TOKEN_PROGRAM, [ends.from, ends.mint, ends.to, ends.authority], data);
}

const paying = (amount: bigint, authority = USER) =>
  transfer({ from: USER_A, to: VAULT_A, mint: MINT_A, authority }, amount);
const giving = (amount: bigint) =>
  transfer({ from: VAULT_B, to: USER_B, mint: MINT_B, authority: POOL }, amount);

function findVenue(name: string) {
  return [...TRANSFER_VENUES.values()].find((venue) => venue.name === name) ?? assert.fail(name);
}

const mintByName = (account: Address) =>
  toSolanaAddress([VAULT_A, USER_A].includes(account) ? MINT_A : MINT_B);

function readTrade(name: string, call: ProgramCall, mintOf = mintByName) {
  const venue = findVenue(name);
  if (!isTransferSwap(venue, call)) return null;
  return readTransferTrade(venue, {
    ...{ call, moves: new TokenMoves(call), txHash: transactionId('a') },
    mintOf,
    isSigner: (account: Address) => account === USER,
  });
}

function build(name: string, data: string, nested: readonly ProgramCall[], accounts?: string[]) {
  const own = accounts ?? [
    USER,
    POOL,
    key(20),
    key(21),
    key(22),
    key(23),
    key(24),
    key(25),
    key(26),
    key(27),
  ];
  const call = buildCall(findVenue(name).program, own, Buffer.from(data, 'hex'));
  call.nested.push(...nested);
  return call;
}

describe('which side is the pool', () => {
  it('is told by the vaults, whatever the order of the transfers', () => {
    const accounts = [USER, POOL, VAULT_A, VAULT_B, USER_A, USER_B, ...[30, 31, 32].map(key)];
    for (const nested of [
      [paying(70n, POOL), giving(50n)],
      [giving(50n), paying(70n, POOL)],
    ]) {
      const trade = readTrade('humidifi', build('humidifi', 'ffee', nested, accounts));
      assert.deepEqual(
        [trade?.pool, trade?.mintIn, trade?.amountIn, trade?.mintOut, trade?.amountOut],
        [POOL, MINT_A, 70n, MINT_B, 50n],
      );
    }
  });

  it('is told by an amount in the data', () => {
    const data = Buffer.alloc(18);
    data.writeUInt8(0x10);
    data.writeBigUInt64LE(70n, 2);
    for (const nested of [
      [paying(70n, POOL), giving(50n)],
      [giving(50n), paying(70n, POOL)],
    ]) {
      const trade = readTrade('tessera', build('tessera', data.toString('hex'), nested));
      assert.deepEqual([trade?.amountIn, trade?.amountOut, trade?.vaultIn], [70n, 50n, VAULT_A]);
    }
  });

  it('is told by who signed', () => {
    const trade = readTrade('goonfi-v2', build('goonfi-v2', '01', [giving(50n), paying(70n)]));
    assert.deepEqual([trade?.amountIn, trade?.amountOut], [70n, 50n]);
    const nobody = build('goonfi-v2', '01', [giving(50n), paying(70n, POOL)]);
    assert.equal(readTrade('goonfi-v2', nobody), null, 'neither side signed');
  });

  it('is not clear where the data names what is given, and a signer made the other transfer', () => {
    const data = Buffer.alloc(17);
    data.writeUInt8(0x04);
    data.writeBigUInt64LE(50n, 1);
    const call = build('manifest', data.toString('hex'), [paying(70n), giving(50n)]);
    assert.equal(readTrade('manifest', call), null, 'the output was given');
    data.writeBigUInt64LE(70n, 1);
    const other = build('manifest', data.toString('hex'), [paying(70n), giving(50n)]);
    assert.deepEqual(readTrade('manifest', other)?.amountIn, 70n);
  });

  it('is not told by three tokens, by one, or by one that went both ways', () => {
    const third = transfer({ from: key(40), to: key(41), mint: key(42), authority: USER }, 5n);
    const back = transfer({ from: VAULT_A, to: USER_A, mint: MINT_A, authority: POOL }, 5n);
    for (const nested of [
      [paying(70n), giving(50n), third],
      [paying(70n)],
      [paying(70n), giving(50n), back],
    ]) {
      assert.equal(readTrade('goonfi-v2', build('goonfi-v2', '01', nested)), null);
    }
  });

  it('does not matter for a price update', () => {
    assert.equal(readTrade('solfi', build('solfi', '06', [])), null);
    assert.equal(readTrade('zerofi', build('zerofi', '05', [])), null);
  });

  it('names a pool without an account by its vaults, in either direction', () => {
    const there = readTrade('aquifer', build('aquifer', '01', [giving(50n), paying(70n)]));
    const moved = [
      transfer({ from: USER_B, to: VAULT_B, mint: MINT_B, authority: USER }, 50n),
      transfer({ from: VAULT_A, to: USER_A, mint: MINT_A, authority: POOL }, 70n),
    ];
    const back = readTrade('aquifer', build('aquifer', '13', moved));
    assert.equal(there?.pool, back?.pool);
    assert.deepEqual([back?.mintIn, back?.amountIn], [MINT_B, 50n]);
  });
});

describe('every listed exchange', () => {
  for (const { name, swaps, accountsMin = 0, pool, vaults } of TRANSFER_VENUES.values()) {
    it(`${name} has a trade by each of its calls, and none of one transfer`, () => {
      const accounts = Array.from({ length: Math.max(14, accountsMin) }, (_, at) => key(60 + at));
      if (pool !== undefined) accounts[pool] = POOL;
      for (const [index, at] of (vaults ?? []).entries()) {
        accounts[at] = index === 0 ? VAULT_B : VAULT_A;
      }
      for (const start of swaps.length === 0 ? ['ee'] : swaps) {
        const trade = readTrade(name, build(name, start, [paying(70n), giving(50n)], accounts));
        assert.deepEqual(
          [trade?.mintIn, trade?.amountIn, trade?.mintOut, trade?.amountOut],
          [MINT_A, 70n, MINT_B, 50n],
        );
        if (pool !== undefined) assert.equal(trade?.pool, POOL);
        assert.equal(readTrade(name, build(name, start, [paying(70n)], accounts)), null);
      }
    });
  }
});
