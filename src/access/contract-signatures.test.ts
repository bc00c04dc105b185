// Pins the limits of node requests: per caller, and concurrent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { AppError } from '../errors/app-error.ts';
import { ContractSignatures } from './contract-signatures.ts';

function createSignatures() {
  const clock = new ManualClock();
  const signatures = new ContractSignatures({
    verify: async () => true,
    clock,
    identitiesMax: 100_000,
  });
  const ask = async (caller: string, address: string): Promise<string> => {
    const query = { chain: 'base', address, text: 'text', signature: '0x12' } as const;
    try {
      return String(await signatures.verify(query, caller));
    } catch (error) {
      assert.ok(error instanceof AppError);
      assert.ok((error.retryAfterSeconds ?? 0) > 0);
      return error.code;
    }
  };
  return { ask, clock };
}

async function countAllowed(answers: Promise<string>[]): Promise<number> {
  return (await Promise.all(answers)).filter((answer) => answer === 'true').length;
}

test('one caller may ask about ten wallets at once, then twenty a minute', async () => {
  const { ask, clock } = createSignatures();
  const answers: string[] = [];
  for (let n = 0; n < 15; n += 1) answers.push(await ask('caller', `0x${n}`));
  assert.equal(answers.filter((answer) => answer === 'true').length, 10);
  assert.equal(answers.at(-1), 'RATE_LIMITED');
  assert.equal(await ask('another', '0x99'), 'true');
  clock.advance(3000);
  assert.equal(await ask('caller', '0x98'), 'true');
  assert.equal(await ask('caller', '0x97'), 'RATE_LIMITED');
});

test('no number of callers uses up the questions about a wallet', async () => {
  const { ask } = createSignatures();
  for (let n = 0; n < 50; n += 1) assert.equal(await ask(`caller ${n}`, '0x1'), 'true');
});

test('at most eight questions are under way at once, two of one caller', async () => {
  const { ask } = createSignatures();
  const own = Array.from({ length: 4 }, (_, n) => ask('caller', `0x${n}`));
  const asked = Array.from({ length: 12 }, (_, n) => ask(`caller ${n}`, `0x${n}`));
  assert.equal(await countAllowed(own), 2);
  assert.equal(await countAllowed(asked), 6);
  assert.equal(await ask('another', '0x1'), 'true', 'the others have been answered');
});
