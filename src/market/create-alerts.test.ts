// Of which tokens the share of the ten largest holders can be watched.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCheckpoint, buildToken } from '../../test/conformance/store-samples.ts';
import { buildFakeAddress, COIN } from '../../test/fakes/fake-market.ts';
import { createTestMarket, openTestStore } from '../../test/market-scene.ts';
import { OWNER } from '../../test/webhooks/webhook-scene.ts';
import type { HandlerContext } from '../contract/handler.ts';
import { createAlert } from '../contract/operations/alert-operations.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { AppError } from '../errors/app-error.ts';
import { systemClock } from '../lib/clock.ts';
import { createAlerts } from './create-alerts.ts';

const parse = createInputParser(createAlert.input, 'json');
const CONTEXT = { identity: OWNER, requestId: 'test', addressGroup: 'test' } as HandlerContext;
/** Token, its row, and the status and wait of the refusal; null if it is taken. */
const TOKENS = [
  ['all holders known', {}, null],
  ['a supply to be read again', { supplyBalanceSumRaw: null }, [503, 5]],
  [
    'a supply never read',
    { supplyRaw: null, supplyBlock: null, supplyBalanceSumRaw: null },
    [503, 5],
  ],
  ['no supply', { supplyRaw: null }, [400, null]],
  ['other holders', { supplyRaw: 6n }, [400, null]],
  ['broken balances', { supplyBalanceSumRaw: null, balancesBroken: true }, [400, null]],
  ['the coin', { token: COIN, supplyRaw: null, supplyBalanceSumRaw: null }, [400, null]],
] as const;

test('a share of holders is watched where all are known, or has to wait for the supply', async (t) => {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  const rows = TOKENS.map(([_, row], index) =>
    buildToken({ token: buildFakeAddress('aaaa', 16 + index), ...row }),
  );
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.putTokens(rows);
    await transaction.setCheckpoint(buildCheckpoint(1));
  });
  const market = createTestMarket({ store });
  await market.states.poll();
  const handlers = createAlerts({
    ...{ ...market.parts, webhooks: store.webhooks, clock: systemClock },
    createId: () => 'al_1',
  });
  for (const [index, [what, , refusal]] of TOKENS.entries()) {
    const input = {
      chain: 'devnet',
      mint: rows[index]?.token,
      when: { holdersTop10Pct: { above: 50 } },
    };
    const refused: unknown = await handlers.createAlert(parse(input) as never, CONTEXT).then(
      () => null,
      (error: unknown) => error,
    );
    const told =
      refused instanceof AppError ? [refused.status, refused.retryAfterSeconds ?? null] : refused;
    assert.deepEqual(told, refusal, what);
  }
});
