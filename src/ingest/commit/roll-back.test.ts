// A rollback takes as many statements for many tokens as for few.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresPlace, createSqlitePlace } from '../../../test/conformance/store-place.ts';
import {
  buildCheckpoint,
  buildHeader,
  buildTrade,
  toAddress,
} from '../../../test/conformance/store-samples.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { CandleRecord } from '../../model/market-record.ts';
import { buildRevertedEvent } from './commit-batch.ts';
import { rollBack } from './roll-back.ts';

const BLOCKS = 20;

for (const [engine, createPlace] of [
  ['sqlite', createSqlitePlace],
  ['postgres', createPostgresPlace],
] as const) {
  test(`the statements of a rollback do not grow with the tokens on ${engine}`, async (t) => {
    const place = await createPlace();
    let statements = 0;
    const store = await place.open(() => {
      statements += 1;
    });
    t.after(async () => {
      await store.close();
      await place.remove();
    });
    const { market } = store;
    const counts: number[] = [];
    let version = 0;
    for (const tokens of [2, 60]) {
      await market.forgetChain('devnet');
      version = 0;
      const candles: ReadonlyMap<string, CandleRecord[]>[] = [];
      const readCandles = async () => {
        const all: CandleRecord[] = [];
        for await (const rows of market.scanCandles('devnet')) all.push(...rows);
        return Map.groupBy(
          all,
          (one) => `${one.token} ${one.pool} ${one.interval} ${one.openTimeMs}`,
        );
      };
      for (let block = 1; block <= BLOCKS; block += 1) {
        if (block === BLOCKS / 2 + 1) candles.push(await readCandles());
        version += 1;
        const trades = Array.from({ length: tokens }, (_, index) =>
          buildTrade({
            ...{ token: toAddress(100 + index), pool: poolId(toAddress(500 + index)) },
            ...{ block, logIndex: index, timestampMs: 1_700_000_000_000 + block * 2000 },
          }),
        );
        await market.transaction('devnet', async (one) => {
          await one.setCheckpoint({ ...buildCheckpoint(version), block });
          await one.putHeaders([buildHeader(block)]);
          await one.addTrades(trades);
        });
      }
      statements = 0;
      await rollBack(market, {
        ...{ chain: 'devnet', nowMs: 0, keptMs: 1000 },
        checkpoint: { ...buildCheckpoint(version + 1), block: BLOCKS / 2 },
        tip: buildCheckpoint(version),
        onRemoved: (trades) => {
          const checkpoint = buildCheckpoint(version + 1, BLOCKS / 2);
          const told = { undone: [], complete: false, epoch: 'e' };
          return buildRevertedEvent({ chain: 'devnet', checkpoint, trades, ...told });
        },
      });
      counts.push(statements);
      candles.push(await readCandles());
      assert.deepEqual(candles[1], candles[0]);
      assert.ok((candles[0]?.size ?? 0) >= tokens * 10);
    }
    t.diagnostic(`statements: ${counts.join(' and ')}`);
    assert.equal(counts[1], counts[0]);
  });
}
