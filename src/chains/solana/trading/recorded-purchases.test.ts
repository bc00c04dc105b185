// Purchases of an exact output on PumpSwap, as recorded transactions have them: the same
// instruction is encoded, and what it took was computed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { PumpPool } from '../../../amm/pump/pump-kind.ts';
import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { toSeed } from '../data/program-address.ts';
import { readSelfEvents } from '../data/self-events.ts';
import { listCalls } from '../data/transaction-calls.ts';
import { SWAP_ENCODERS } from '../venues/solana-venues.ts';

const PROGRAM = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA';
const BUY = '66063d1201daebea';
const BUY_EVENT = '67f4521f2cf57777';
const RECORDED = ['agavesim-JSON2', 'agavesim-JSON3'];
/** Those of the program's interface; what came later follows them. */
const ACCOUNT_COUNT = 23;

function readPurchase(name: string) {
  const calls = listCalls(readSolanaTransaction(`transactions/${name}.json`));
  const isBuy = (call: (typeof calls)[number]) =>
    call.program === PROGRAM && call.data.discriminator() === BUY;
  const call = calls.find(isBuy) ?? assert.fail(`${name} has no purchase`);
  const accounts = Array.from(
    { length: call.accountCount },
    (_, index) => call.account(index) ?? assert.fail(),
  );
  const [event = assert.fail(`${name} has no event`)] = readSelfEvents(call, BUY_EVENT);
  return { call, accounts, event };
}

/** An account that has keys at these places. */
function buildAccount(length: number, keys: Readonly<Record<number, Address>>): AccountBytes {
  const data = Buffer.alloc(length);
  for (const [at, key] of Object.entries(keys)) data.set(toSeed(key), Number(at));
  return new AccountBytes(data);
}

describe('a recorded purchase on PumpSwap', { skip }, () => {
  for (const name of RECORDED) {
    it(`is encoded with the same accounts and amounts: ${name}`, () => {
      const { call, accounts, event } = readPurchase(name);
      assert.equal(accounts.length, ACCOUNT_COUNT);
      const at = (index: number) => accounts[index] ?? assert.fail();
      const creator = event.key(312);
      const keys = { 43: at(3), 75: at(4), 139: at(7), 171: at(8), 211: creator };
      const config = buildAccount(643, { 57: at(9) });
      const encoder = SWAP_ENCODERS.get('pumpswap') ?? assert.fail();
      const encoded = encoder.encode({
        ...{ program: call.program, pool: at(0), data: buildAccount(270, keys), user: at(1) },
        ...{ mintIn: at(4), mintOut: at(3), accountIn: at(6), accountOut: at(5) },
        ...{ tokenProgramIn: at(12), tokenProgramOut: at(11) },
        ...{ fixed: 'output', amountIn: call.data.u64(16), amountOut: call.data.u64(8) },
        open: (one) => (one === at(2) ? config : null),
      });
      const addresses = encoded.accounts.map((use) => use.address);
      assert.deepEqual(addresses.slice(0, ACCOUNT_COUNT), accounts);
      const data = new AccountBytes(Buffer.from(encoded.data));
      assert.deepEqual(
        [data.discriminator(), data.u64(8), data.u64(16)],
        [BUY, call.data.u64(8), call.data.u64(16)],
      );
      // Whether its volume is tracked, which older calls leave out.
      assert.equal(encoded.data.length, 25);
    });

    it(`took what is computed: ${name}`, () => {
      const { call, event } = readPurchase(name);
      const bps = (at: number) => Number(event.u64(at));
      const [held0, held1] = [event.u64(48), event.u64(56)];
      const pool = new PumpPool({
        ...{ stage: 'amm', held0, held1, reserve0: held0, reserve1: held1 },
        ...{ lpBps: bps(72), protocolBps: bps(88), creatorBps: bps(344) },
      });
      const { amountIn, isFilled } = pool.swapOut(false, call.data.u64(8));
      assert.deepEqual([isFilled, amountIn], [true, event.u64(112)]);
    });
  }
});
