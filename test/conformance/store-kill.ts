// Conformance: `kill -9` at any moment keeps every reported commit, completely.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Store } from '../../src/store/store.ts';
import { createRandom } from '../fakes/create-random.ts';
import { RUN_SEED } from '../run-seed.ts';
import type { CreatePlace, StorePlace } from './store-place.ts';
import { toAddress } from './store-samples.ts';

const KILLS = 6;
const WRITER = fileURLToPath(new URL('./store-kill-writer.ts', import.meta.url));
const ROWS = 300;

export function describeKill(createPlace: CreatePlace): void {
  describe('kill -9', () => {
    let place: StorePlace;
    before(async () => {
      place = await createPlace();
    });
    after(() => place.remove());

    it('loses no commit that was reported and leaves none in part', async () => {
      let reported = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = reported;
        reported = Math.max(reported, await writeUntilKilled(place));
        const store = await place.open();
        const version = await assertWhole(store);
        assert.ok(version >= reported, `${reported} was reported, ${version} is stored`);
        // The last commit may have happened without a report.
        assert.ok(version <= reported + 1);
        assert.ok(reported > before, 'the writer went on from where the last one was killed');
        reported = version;
        await store.close();
      }
    });
  });
}

const random = createRandom(RUN_SEED);

/** Returns the last version that the writer reported before it was killed. */
async function writeUntilKilled(place: StorePlace): Promise<number> {
  const writer = spawn(process.execPath, [WRITER, JSON.stringify(place.address)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  writer.stdout.setEncoding('utf8');
  writer.stdout.on('data', (chunk: string) => {
    output += chunk;
  });
  await once(writer.stdout, 'data');
  const closed = once(writer, 'close');
  setTimeout(() => writer.kill('SIGKILL'), random() * 150);
  await closed;
  assert.equal(writer.signalCode, 'SIGKILL');
  const lines = output.split('\n').slice(0, -1);
  return Number(lines.at(-1));
}

async function assertWhole(store: Store): Promise<number> {
  return store.market.snapshot(async (reader) => {
    const { version } = (await reader.readCheckpoint('devnet'))!;
    assert.equal((await reader.readHeaders('devnet')).length, version);
    let trades = 0;
    for await (const page of reader.scanTrades('devnet')) trades += page.length;
    assert.equal(trades, version * ROWS);
    const keys = Array.from({ length: ROWS }, (_, index) => ({
      token: toAddress(1),
      owner: toAddress(index + 1),
    }));
    const balances = await reader.readBalances('devnet', keys);
    assert.equal(balances.length, ROWS);
    assert.ok(balances.every((row) => row.amountRaw === BigInt(version)));
    return version;
  });
}
