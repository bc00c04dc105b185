// Which calls of programs in no list count as exchanges.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeBase58 } from '../../../../lib/base58.ts';
import { decodeTrades } from '../../blocks/decode-trades.ts';
import type { RawTransaction } from '../../data/raw-transaction.ts';
import { TOKEN_PROGRAM } from '../../data/solana-ids.ts';

const key = (number: number) => encodeBase58(Buffer.alloc(32, number));
const [USER, PROGRAM, OTHER] = [1, 2, 3].map(key) as [string, string, string];
const [USER_A, USER_B, VAULT_A, VAULT_B, MINT_A, MINT_B, POOL, STRANGER_B] = [
  ...[10, 11, 12, 13, 14, 15, 16, 17],
].map(key) as [string, string, string, string, string, string, string, string];

type Step = readonly [from: string, to: string] | 'otherProgram' | 'itself';

function build(steps: readonly Step[]): RawTransaction {
  const accounts = [USER_A, USER_B, VAULT_A, VAULT_B, POOL, STRANGER_B];
  const keys = [USER, ...accounts, TOKEN_PROGRAM, PROGRAM, OTHER];
  const at = (account: string) => keys.indexOf(account);
  const data = Buffer.alloc(9);
  data.writeUInt8(3);
  data.writeBigUInt64LE(50n, 1);
  const toCall = (step: Step) => {
    const stackHeight = 2;
    if (step === 'otherProgram') {
      return { programIdIndex: at(OTHER), accounts: [], data: encodeBase58(data), stackHeight };
    }
    if (step === 'itself') {
      return { programIdIndex: at(PROGRAM), accounts: [], data: encodeBase58(data), stackHeight };
    }
    const ends = [...step, USER].map(at);
    const programIdIndex = at(TOKEN_PROGRAM);
    return { programIdIndex, accounts: ends, data: encodeBase58(data), stackHeight };
  };
  const row = (account: string, mint: string, owner: string) => ({
    ...{ accountIndex: at(account), mint, owner, uiTokenAmount: { amount: '100' } },
  });
  const rows = [
    ...[row(USER_A, MINT_A, USER), row(USER_B, MINT_B, USER), row(STRANGER_B, MINT_B, OTHER)],
    ...[row(VAULT_A, MINT_A, POOL), row(VAULT_B, MINT_B, POOL)],
  ];
  const own = { programIdIndex: at(PROGRAM), accounts: accounts.map(at), stackHeight: 1 };
  return {
    transaction: {
      signatures: [encodeBase58(Buffer.alloc(64, 9))],
      message: { accountKeys: keys, instructions: [{ ...own, data: encodeBase58(data) }] },
    },
    meta: {
      err: null,
      innerInstructions: [{ index: 0, instructions: steps.map(toCall) }],
      ...{ preTokenBalances: rows, postTokenBalances: rows },
    },
  };
}

const isCounted = (...steps: Step[]) => {
  const { trades, unknown } = decodeTrades(build(steps));
  assert.deepEqual(trades, []);
  const [first] = unknown;
  if (first === undefined) return false;
  assert.deepEqual([first.venue, first.discriminator], ['unlisted', PROGRAM]);
  return true;
};

it('one that takes a token and gives another', () => {
  assert.ok(isCounted([USER_A, VAULT_A], [VAULT_B, USER_B]));
  assert.ok(isCounted([VAULT_B, USER_B], [USER_A, VAULT_A]), 'some pay first');
  assert.ok(isCounted([USER_A, VAULT_A], 'itself', [VAULT_B, USER_B]), 'an event to itself');
});

it('none that only takes, or gives to another, or passes the trade on', () => {
  assert.equal(isCounted([USER_A, VAULT_A]), false);
  assert.equal(isCounted([USER_A, VAULT_A], [USER_B, VAULT_B]), false, 'a deposit');
  assert.equal(isCounted([VAULT_A, USER_A], [VAULT_B, USER_B]), false, 'a withdrawal');
  assert.equal(isCounted([USER_A, VAULT_A], 'otherProgram', [VAULT_B, USER_B]), false);
});
