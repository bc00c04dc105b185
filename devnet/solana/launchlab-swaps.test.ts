// Trades on curves of LaunchLab, as computed and encoded, and as the stand-in executes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from '../../src/amm/pool-kinds.ts';
import type { SwapPool } from '../../src/amm/swap-pool.ts';
import { toSolanaAddress } from '../../src/chains/solana/data/solana-ids.ts';
import type { AccountReadingOf } from '../../src/chains/solana/tokens/pool-accounts.ts';
import {
  LAUNCHLAB_AUTHORITY,
  readLaunch,
} from '../../src/chains/solana/venues/raydium-launchlab/launchlab-accounts.ts';
import type { PoolRecordOf } from '../../src/model/pool.ts';
import { createRandom } from '../../test/fakes/create-random.ts';
import { RUN_SEED } from '../../test/run-seed.ts';
import {
  type LaunchAmounts,
  type LaunchFields,
  type LaunchPlaces,
  setLaunch,
  tradeLaunch,
  USUAL_LAUNCH,
} from '../../test/solana-launches.ts';
import {
  amountOf,
  createProgramSvm,
  setTokens,
  simulateAlone,
  USER,
} from '../../test/solana-programs.ts';
import { findAddress, findTokenAccount, LAUNCHLAB, SOL } from './instructions.ts';
import type { Svm } from './svm.ts';
import { TOKEN_PROGRAM } from './token-balance.ts';

const HELD = 10n ** 15n;
const TRADES = 500;

function readState(svm: Svm, { pool, config, platform }: LaunchPlaces) {
  const accounts = new Map(
    [pool, config, platform].map((key) => [
      toSolanaAddress(key),
      svm.read(key)?.data ?? assert.fail(key),
    ]),
  );
  const query = { program: toSolanaAddress(LAUNCHLAB), pool: toSolanaAddress(pool), accounts };
  return readLaunch({ ...query, nowSeconds: 0, slot: 0 }) ?? assert.fail('it is no curve');
}

function toSwapPool({ state, terms, feePips }: AccountReadingOf<'launchCurve'>): SwapPool {
  const row = { kind: 'launchCurve', state, terms, feePips } as PoolRecordOf<'launchCurve'>;
  return kindOf(row).createSwapPool(row, [], undefined) ?? assert.fail('it is not quoted');
}

interface Scene {
  readonly svm: Svm;
  readonly places: LaunchPlaces;
}

function openScene(fields: LaunchFields): Scene {
  const svm = createProgramSvm();
  const places = setLaunch(svm, fields);
  for (const mint of [places.mint, SOL.mint]) {
    const address = findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM });
    setTokens(svm, { address, mint, owner: USER.address, amount: HELD, program: TOKEN_PROGRAM });
  }
  return { svm, places };
}

/** What the wallet paid and got. */
function execute({ svm, places }: Scene, isSale: boolean, amounts: LaunchAmounts) {
  const run = simulateAlone(
    svm,
    tradeLaunch(svm, places, { user: USER.address, isSale, ...amounts }),
  );
  const [mintIn, mintOut] = isSale ? [places.mint, SOL.mint] : [SOL.mint, places.mint];
  const [accountIn = '', accountOut = ''] = [mintIn, mintOut].map((mint) =>
    findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM }),
  );
  return { run, paid: HELD - amountOf(run, accountIn), got: amountOf(run, accountOut) - HELD };
}

/** A curve in the middle of its life, with rates up to three per cent each. */
function drawFields(random: () => number): LaunchFields {
  const { sellTotal, virtualBase, virtualQuote } = USUAL_LAUNCH;
  const realBase = BigInt(Math.floor(Number(sellTotal) * (0.01 + 0.98 * random())));
  const realQuote = (virtualQuote * realBase) / (virtualBase - realBase);
  const rate = () => BigInt(Math.floor(30_000 * random() ** 2));
  return { ...USUAL_LAUNCH, realBase, realQuote, rates: [rate(), rate(), rate()] };
}

test('five hundred random trades pay what was computed, to the unit', () => {
  const random = createRandom(RUN_SEED);
  const counts = { filled: 0, refused: 0 };
  const scene = openScene(USUAL_LAUNCH);
  for (let count = 0; count < TRADES; count += 1) {
    setLaunch(scene.svm, drawFields(random));
    const pool = toSwapPool(readState(scene.svm, scene.places));
    const [isSale, isIn] = [random() < 0.5, random() < 0.5];
    const amount = BigInt(Math.ceil(10 ** (2 + (isSale === isIn ? 12.7 : 9) * random())));
    const swap = isIn ? pool.swapIn(isSale, amount) : pool.swapOut(isSale, amount);
    const [amountIn, amountOut] = isIn
      ? [amount, swap.isFilled ? swap.amountOut : 0n]
      : [swap.isFilled ? swap.amountIn : HELD, amount];
    const fixed = isIn ? 'input' : 'output';
    const { run, paid, got } = execute(scene, isSale, { fixed, amountIn, amountOut });
    if (!swap.isFilled) {
      // Refused, or the last coins: what those cost is not promised.
      const isLast = run.err === null && !isSale;
      assert.ok(isLast || run.err !== null, `${isSale} ${isIn} ${amount}`);
      counts.refused += 1;
      continue;
    }
    assert.equal(run.err, null, run.logs.join('\n'));
    assert.deepEqual([paid, got], [swap.amountIn, swap.amountOut], `${isSale} ${isIn} ${amount}`);
    counts.filled += 1;
    if (!isIn) continue;
    const after = run.accounts.get(scene.places.pool)?.data ?? assert.fail();
    const before = scene.svm.read(scene.places.pool) ?? assert.fail();
    scene.svm.write(scene.places.pool, { ...before, data: after });
    const moved = pool.swapAndMove(isSale, amount).after.toPlain();
    assert.deepEqual(moved, toSwapPool(readState(scene.svm, scene.places)).toPlain());
  }
  assert.ok(counts.filled > 300, JSON.stringify(counts));
});

test('a trade that the limit does not allow is refused', () => {
  const scene = openScene(drawFields(createRandom(7)));
  const pool = toSwapPool(readState(scene.svm, scene.places));
  const { amountOut } = pool.swapIn(false, 10n ** 8n);
  const tooMuch = { fixed: 'input', amountIn: 10n ** 8n, amountOut: amountOut + 1n } as const;
  assert.notEqual(execute(scene, false, tooMuch).run.err, null);
  assert.equal(execute(scene, false, { ...tooMuch, amountOut }).run.err, null);
});

test('the authorities are those of mainnet', () => {
  assert.equal(LAUNCHLAB_AUTHORITY, findAddress(LAUNCHLAB, ['vault_auth_seed']));
  const events = findAddress(LAUNCHLAB, ['__event_authority']);
  assert.equal(events, '2DPAtwB8L12vrMRExbLuyGnC7n2J5LNoZQSejeQGpwkr');
});
