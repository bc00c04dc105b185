// A world at random: a mixture of endpoints, outages and forks, all by one seed.

import { createRandom } from '../fakes/create-random.ts';
import { type FailureKind, PROFILES, type Profile } from './profiles.ts';
import type { Outage } from './provider.ts';
import { CHAIN_NAMES, SCOPE_NAMES, type WorldPlan } from './run-world.ts';

const MINUTE_MS = 60_000;
const OUTAGES_MS = [18_000, 18_000, 60_000, 10 * MINUTE_MS];
const FAILURES: readonly FailureKind[] = ['gateway', 'error', 'cut', 'hang', 'wrong'];

type Dice = ReturnType<typeof createDice>;

function createDice(seed: number) {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  return { below, pick, chance: (share: number) => random() < share };
}

/** A profile, sometimes with a habit that it does not have by itself. */
function drawProfile(dice: Dice, family: Profile['family']): Profile {
  const profile = dice.pick(PROFILES.filter((one) => one.family === family));
  const isEvm = family === 'evm';
  return {
    ...profile,
    ...(dice.chance(0.15) ? { batchCallsMax: dice.pick([1, 2, 10]) } : {}),
    ...(dice.chance(0.3)
      ? { failures: { oneIn: dice.pick([20, 50, 200]), kinds: [dice.pick(FAILURES)] } }
      : {}),
    ...(isEvm && dice.chance(0.2)
      ? { backends: [{ lagBlocksMax: 0 }, { lagBlocksMax: 2, isOnSide: dice.chance(0.5) }] }
      : {}),
    ...(isEvm && dice.chance(0.1) ? { missing: ['eth_getBlockReceipts'] } : {}),
  };
}

function drawOutages(dice: Dice): Outage[] {
  if (!dice.chance(0.5)) return [];
  const fromMs = (1 + dice.below(2)) * MINUTE_MS;
  const kind = dice.pick(['close', 'hang', 'gateway'] as const);
  return [{ kind, fromMs, toMs: fromMs + dice.pick(OUTAGES_MS) }];
}

export function drawPlan(seed: number): WorldPlan {
  const dice = createDice(seed);
  const chain = dice.pick([...CHAIN_NAMES, 'rollup', 'solana'] as const);
  const family = chain === 'solana' ? 'solana' : 'evm';
  const outages = drawOutages(dice);
  const lastMs = outages.at(-1)?.toMs ?? 0;
  return {
    ...{ seed, chain, outages, scope: dice.pick(SCOPE_NAMES) },
    profiles: Array.from({ length: 1 + dice.below(3) }, () => drawProfile(dice, family)),
    hours: (lastMs + 3 * MINUTE_MS) / (60 * MINUTE_MS),
    forksPerHour: dice.pick([0, 20, 120]),
  };
}
