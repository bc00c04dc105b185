// Trades of recorded transactions are those that their balances show.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { it, test } from 'node:test';
import { buildCpmmSwap } from '../../../../test/fakes/solana-scene.ts';
import {
  readSolanaTransaction,
  SOLANA_FIXTURES,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { checkTradeBalances } from './check-balances.ts';

it('contradicts no recorded trade', { skip }, () => {
  const names = readdirSync(new URL('transactions/', SOLANA_FIXTURES));
  const checks = names.map((name) =>
    checkTradeBalances(readSolanaTransaction(`transactions/${name}`)),
  );
  assert.deepEqual(
    checks.flatMap(({ contradictions }) => contradictions),
    [],
  );
  const compared = checks.reduce((sum, one) => sum + one.compared, 0);
  assert.ok(compared >= 70, `${compared} vaults`);
});

/** Changes one balance row. */
function withBalance(raw: RawTransaction, place: number, amount: string): RawTransaction {
  const { meta } = raw;
  const rows = (meta?.postTokenBalances ?? []).map((row, index) =>
    index === place ? { ...row, uiTokenAmount: { amount } } : row,
  );
  return { ...raw, meta: meta && { ...meta, postTokenBalances: rows } };
}

test('a vault that gained another amount than its trades say is told', () => {
  const honest = buildCpmmSwap({ id: 1, amountIn: 500n, amountOut: 300n });
  assert.deepEqual(checkTradeBalances(honest), { compared: 2, contradictions: [] });
  const { compared, contradictions } = checkTradeBalances(withBalance(honest, 2, '50000499'));
  assert.equal(compared, 2);
  assert.equal(contradictions.length, 1);
  assert.match(contradictions[0] ?? '', /changed by 500, by its balances 499$/);
});

test('a gift to a pool in the same transaction is no contradiction', () => {
  const swap = buildCpmmSwap({ id: 1, amountIn: 500n, amountOut: 300n });
  const inner = swap.meta?.innerInstructions?.[0]?.instructions[0];
  assert.ok(inner);
  const { message } = swap.transaction;
  const instructions = [...message.instructions, { ...inner, stackHeight: 1 }];
  const gift = {
    ...withBalance(swap, 2, '50001000'),
    transaction: { ...swap.transaction, message: { ...message, instructions } },
  };
  assert.deepEqual(checkTradeBalances(gift), { compared: 2, contradictions: [] });
});
