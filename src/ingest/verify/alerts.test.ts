// Alerts of every kind through growth and reorganisations: what fired is what the chain says, and
// `verify` finds what is not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
} from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { type FakeAdapter, FakeChain } from '../../../test/fakes/fake-chain.ts';
import { buildFakeAddress, FAKE_TOKENS } from '../../../test/fakes/fake-market.ts';
import { createPool } from '../../../test/fakes/index-events.ts';
import { startIndexer } from '../../../test/fakes/indexed-chain.ts';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { poolId, walletId } from '../../../test/test-ids.ts';
import type { AlertCondition, AlertRule } from '../../model/alert.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { NewsRecord } from '../../model/news.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../store/store.ts';
import { verifyChain } from './verify-chain.ts';

const TOKEN = buildFakeAddress('aaaa', 18);
const POOL = poolId(buildFakeAddress('dddd', 77));
const OWNER = walletId('eip155:0x01');
type Firing = Extract<NewsRecord, { kind: 'alert' }>;

function transfer(from: Address | null, to: Address | null, amountRaw: bigint): MarketEvent {
  return { kind: 'transfer', token: TOKEN, from, to, amountRaw };
}

async function readFirings(store: MarketStore): Promise<Firing[]> {
  const after = { version: 0, index: -1 };
  const news = await store.readNewsAfter('devnet', { after, limit: 1_000_000 });
  return news.filter((one) => one.kind === 'alert');
}

async function readAll<T>(scan: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of scan) all.push(...rows);
  return all;
}

function createAdder(store: MarketStore) {
  let count = 0;
  return async (
    token: Address | null,
    condition: AlertCondition,
    rule: Partial<AlertRule> = {},
  ) => {
    count += 1;
    const alert = {
      ...{ id: `al_${count}`, owner: OWNER, webhook: null, token, createdAtMs: count },
      rule: {
        ...{ condition, minLiquidityUsd: null, rearmPct: 0, cooldownMs: 0, once: false },
        ...rule,
      },
    };
    assert.ok(await store.alerts.addAlert('devnet', { alert, max: 1000 }));
    return alert.id;
  };
}

/** One of each kind for each token, at bounds that its past suggests. */
async function addKinds(store: MarketStore): Promise<Map<string, string>> {
  const add = createAdder(store);
  const kinds = new Map<string, string>();
  const trades = await readAll(store.scanTrades('devnet'));
  const add_ = async (token: Address | null, condition: AlertCondition, rule = {}) => {
    kinds.set(await add(token, condition, rule), condition.kind);
  };
  for (const token of await readAll(store.scanTokens('devnet'))) {
    const own = trades.filter((one) => one.token === token.token && one.priceUsd !== null);
    const at = token.priceUsd ?? own.at(-1)?.priceUsd;
    if (at === undefined || at === null) continue;
    for (const when of ['crosses', 'above', 'below'] as const) {
      await add_(token.token, { kind: 'priceUsd', when, at });
      await add_(token.token, { kind: 'priceUsd', when, at }, { rearmPct: 5 });
    }
    for (const pct of [0.5, 5]) {
      await add_(token.token, { kind: 'changePct', window: '5m', when: 'above', pct });
      await add_(token.token, { kind: 'changePct', window: '24h', when: 'below', pct: -pct });
    }
    await add_(token.token, { kind: 'volumeUsd', window: '5m', at: '1000' }, { rearmPct: 10 });
    await add_(token.token, { kind: 'liquidityUsd', when: 'drop', pct: 2 });
    await add_(token.token, { kind: 'trade', valueUsd: '100', side: 'buy' }, { once: true });
  }
  for (const wallet of new Set(trades.map((one) => one.wallet))) {
    await add_(null, { kind: 'wallet', wallet }, { cooldownMs: 20_000 });
  }
  await add_(null, { kind: 'trade', valueUsd: '1000', side: null });
  await add_(null, { kind: 'newPool', minLiquidityUsd: '1' });
  return kinds;
}

function verify(store: MarketStore, adapter: FakeAdapter) {
  return verifyChain({
    ...{ adapter, store, attemptCountMax: 3, signal: new AbortController().signal, pieceMs: 0 },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 11, eventCountMax: 100 },
  });
}

/** What an alert about prices above a bound without a margin fires on, from the stored trades. */
function listPassed(trades: readonly TradeRecord[], at: number, start: number | null): string[] {
  const passed: string[] = [];
  let isArmed = start !== null && start <= at;
  for (const { priceUsd, outlier, txHash, index } of trades) {
    if (outlier || priceUsd === null) continue;
    const isOver = Number(priceUsd) > at;
    if (isArmed && isOver) passed.push(`${txHash}:${index}`);
    isArmed = !isOver;
  }
  return passed;
}

const ENGINES: readonly { name: string; createPlace: CreatePlace }[] = [
  { name: 'sqlite', createPlace: createSqlitePlace },
  { name: 'postgres', createPlace: createPostgresPlace },
];

for (const { name, createPlace } of ENGINES) {
  describe(`alerts on ${name}`, () => {
    async function withStore(work: (store: MarketStore) => Promise<void>): Promise<void> {
      const place = await createPlace();
      const store = await place.open();
      try {
        await work(store.market);
      } finally {
        await store.close();
        await place.remove();
      }
    }

    it('fire as the chain says, whatever was reorganised, and verify agrees', async () => {
      const chain = new FakeChain({ seed: 41, finalityDepth: 6 });
      chain.extend(60);
      await withStore(async (store) => {
        const indexed = startIndexer(chain, store);
        await indexed.settle();
        const kinds = await addKinds(store);
        const { block: addedAt } = (await store.readCheckpoint('devnet'))!;
        for (let round = 0; round < 12; round += 1) {
          chain.extend(5);
          await indexed.settle();
          if (round % 3 === 1) chain.reorganise(4, 6);
          await indexed.settle();
          if (round === 4) {
            await store.alerts.endAlert({ owner: OWNER, id: 'al_3', nowMs: 1 });
          }
        }
        await indexed.indexer.stop();
        const verification = await verify(store, indexed.adapter);
        assert.deepEqual(verification.differences, []);
        const firings = await readFirings(store);
        assert.equal(verification.checked['firing of an alert'], firings.length);
        const fired = new Set(firings.map(({ alert }) => kinds.get(alert)));
        assert.deepEqual([...fired].sort(), [...new Set(kinds.values())].sort());
        assert.ok(firings.every(({ block }) => block > addedAt));
        // What `verify` recomputes, once more and by other means.
        const trades = await readAll(store.scanTrades('devnet'));
        const states = await store.readAlertStates('devnet', [...kinds.keys()]);
        let compared = 0;
        for (const record of await readAll(store.scanAlerts('devnet'))) {
          const { condition, rearmPct } = record.rule;
          if (condition.kind !== 'priceUsd' || condition.when !== 'above' || rearmPct > 0) continue;
          if (record.endedAtMs !== null) continue;
          const { fromBlock } = states.find(({ alert }) => alert === record.id)!;
          const own = trades.filter(({ token }) => token === record.token);
          const clean = own.filter((one) => !one.outlier && one.priceUsd !== null);
          const before = clean.filter(({ block }) => block <= fromBlock).at(-1)?.priceUsd;
          const after = own.filter(({ block }) => block > fromBlock);
          const start = before === undefined ? null : Number(before);
          const expected = listPassed(after, Number(condition.at), start);
          const told = firings.filter(({ alert }) => alert === record.id);
          assert.deepEqual(
            told.map(({ firing }) => `${firing.trade?.txHash}:${firing.trade?.index}`),
            expected,
          );
          compared += expected.length;
        }
        assert.ok(compared > 0);
      });
    });

    it('fire on the share of the largest holders, block by block, and verify agrees', async () => {
      const chain = new FakeChain({ seed: 43, finalityDepth: 6, eventCountMax: 0 });
      const random = createRandom(43);
      const owners = Array.from({ length: 30 }, (_, index) => buildFakeAddress('cccc', index));
      const pick = () => owners[Math.floor(random() * owners.length)]!;
      let balances = new Map(owners.map((owner) => [owner, 100n]));
      const mints = owners.map((to) => transfer(null, to, 100n));
      const reserves = setReserves(POOL, 10n ** 24n, 10n ** 21n);
      chain.extend(1, [createPool(POOL, [TOKEN, buildFakeAddress('eeee', 5)]), reserves, ...mints]);
      await withStore(async (store) => {
        const indexed = startIndexer(chain, store);
        await indexed.settle();
        await createAdder(store)(TOKEN, { kind: 'holdersTop10Pct', at: 40 }, { rearmPct: 1 });
        // What the alert should do: whether it is armed, and its firings, as of each block.
        let blocks = [{ balances, isArmed: true, fired: [] as (readonly [number, string])[] }];
        for (let round = 0; round < 60; round += 1) {
          const [from, to] = [pick(), pick()];
          const amountRaw = (balances.get(from) ?? 0n) / 2n;
          balances = new Map(balances);
          balances.set(from, balances.get(from)! - amountRaw);
          balances.set(to, balances.get(to)! + amountRaw);
          // Now and then everybody has the same again.
          const isEven = round % 15 === 14;
          const evened = isEven
            ? [...balances].map(([owner, raw]) => transfer(owner, null, raw))
            : [];
          if (isEven) balances = new Map(owners.map((owner) => [owner, 100n]));
          chain.extend(1, [transfer(from, to, amountRaw), ...evened, ...(isEven ? mints : [])]);
          const sorted = [...balances.values()].sort((a, b) => Number(b - a));
          const top = sorted.slice(0, 10).reduce((sum, one) => sum + one);
          const pct = Number((top * 100_000_000n) / 3000n) / 1_000_000;
          const { isArmed, fired } = blocks.at(-1)!;
          blocks.push({
            balances,
            isArmed: isArmed ? pct <= 40 : pct <= 39,
            fired: isArmed && pct > 40 ? [...fired, [chain.head.position, String(pct)]] : fired,
          });
          await indexed.settle();
          if (round % 13 !== 12) continue;
          chain.reorganise(2, 3);
          const last = blocks.at(-3)!;
          blocks = [...blocks.slice(0, -2), last, last, last];
          balances = last.balances;
          await indexed.settle();
        }
        await indexed.indexer.stop();
        const { fired } = blocks.at(-1)!;
        const told = await readFirings(store);
        assert.deepEqual(
          told.map(({ block, firing }) => [block, firing.figure]),
          fired,
        );
        assert.ok(fired.length > 1, `${fired.length}`);
        const verification = await verify(store, indexed.adapter);
        // The contracts of the fake know nothing of transfers that a test writes by hand.
        const ofAlerts = verification.differences.filter((one) => one.startsWith('firing'));
        assert.deepEqual(ofAlerts, []);
        assert.equal(verification.checked['firing of an alert'], fired.length);
      });
    });

    it('verify names a firing that was made up, one that is missing and a false figure', async () => {
      const chain = new FakeChain({ seed: 42, finalityDepth: 6 });
      chain.extend(40);
      await withStore(async (store) => {
        const indexed = startIndexer(chain, store);
        await indexed.settle();
        const add = createAdder(store);
        const all = { kind: 'trade', valueUsd: '0', side: null } as const;
        for (const token of FAKE_TOKENS) await add(token, all);
        for (let round = 0; round < 5; round += 1) {
          chain.extend(5);
          await indexed.settle();
        }
        await indexed.indexer.stop();
        const firings = await readFirings(store);
        const [missing, changed, copied] = firings;
        assert.ok(missing && changed && copied);
        const version = (await store.readCheckpoint('devnet'))!.version + 1;
        const spoiled: Firing[] = [
          { ...changed, version, index: 0, firing: { ...changed.firing, figure: '1' } },
          { ...copied, version, index: 1, alert: 'al_nobody' },
        ];
        await store.transaction('devnet', async (transaction) => {
          // A rollback of everything takes all of them; then all but one come back.
          await transaction.revertNews({ block: -1, version: 1 });
          const rest = firings.slice(2).map((one, at) => ({ ...one, version, index: at + 2 }));
          await transaction.putNews([...spoiled, ...rest]);
        });
        const { differences } = await verify(store, indexed.adapter);
        const of = ({ alert, block }: Firing) => `firing of alert ${alert} in block ${block} `;
        const find = (start: string) => differences.find((line) => line.startsWith(start));
        assert.equal(differences.length, 3, differences.join('\n'));
        assert.match(find(of(missing)) ?? '', /: missing from the store$/);
        assert.match(find(of(changed)) ?? '', /: figure is "?1"?, should be/);
        assert.match(find(of(spoiled[1]!)) ?? '', /: stored, but not on the chain$/);
      });
    });
  });
}
