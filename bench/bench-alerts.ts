// What alerts cost the indexer: the same swaps with and without them, in turns, by CPU.

import { decimalToText, textToDecimal } from '../src/lib/decimal.ts';
import type { AlertCondition, AlertRecord } from '../src/model/alert.ts';
import type { Address } from '../src/model/ids.ts';
import { buildFakeAddress } from '../test/fakes/fake-market.ts';
import { walletId } from '../test/test-ids.ts';
import { type OursTiming, timeOurs } from './ingest-ours.ts';
import { median, spread } from './measure.ts';
import { withChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const TOKENS = 10_000;
const SWAPS_PER_BLOCK = 10;

/** Bounds around the last price, in per mille. */
const BOUNDS = [950, 1050, 900, 1100, 800, 1200, 500, 2000] as const;

function scale(price: string, perMille: number): string {
  const { digits, scale: places } = textToDecimal(price);
  return decimalToText({ digits: digits * BigInt(perMille), scale: places + 3 });
}

/** Ten for each token: eight on the price, one on liquidity, one on large trades. */
function listConditions(price: string): readonly AlertCondition[] {
  return [
    ...BOUNDS.map((perMille, index): AlertCondition => {
      const when = (['crosses', 'above', 'below'] as const)[index % 3] ?? 'crosses';
      return { kind: 'priceUsd', when, at: scale(price, perMille) };
    }),
    { kind: 'liquidityUsd', when: 'drop', pct: 30 },
    { kind: 'trade', valueUsd: '100000', side: null },
  ];
}

/** On the tokens that trade, and on others up to the number wanted. */
function buildAlerts(prices: readonly (readonly [Address, string])[]): AlertRecord[] {
  const idle = Array.from({ length: Math.max(0, TOKENS - prices.length) }, (_, index) => {
    return [buildFakeAddress('d1e', index), '1'] as const;
  });
  const owner = walletId('eip155:0x01');
  return [...prices, ...idle].slice(0, TOKENS).flatMap(([token, price], place) =>
    listConditions(price).map((condition, index): AlertRecord => {
      const rule = { condition, minLiquidityUsd: null, rearmPct: 1, cooldownMs: 60_000 };
      return {
        ...{ id: `al_${place}_${index}`, owner, webhook: null, token, createdAtMs: 0 },
        ...{ endedAtMs: null, change: place * 10 + index + 1, rule: { ...rule, once: false } },
      };
    }),
  );
}

export async function benchAlerts({ quick }: { readonly quick: boolean }): Promise<Row[]> {
  const swaps = quick ? 20_000 : 60_000;
  const repetitions = quick ? 3 : 5;
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: SWAPS_PER_BLOCK } as const;
  return withChain({ ...recorded, blockTimestamps: true }, async (chain) => {
    const options = { engine: 'sqlite', transferRows: false } as const;
    // The first run says which tokens trade, at which prices; it is not counted.
    const { prices } = (await timeOurs(chain, options)).result;
    const alerts = buildAlerts(prices);
    const plain: OursTiming[] = [];
    const watched: OursTiming[] = [];
    for (let turn = 0; turn < repetitions; turn += 1) {
      plain.push(await timeOurs(chain, options));
      watched.push(await timeOurs(chain, { ...options, alerts }));
      const [a, b] = [plain.at(-1), watched.at(-1)];
      console.error(
        `alerts: ${a?.result.steadyCpuMs} ms without, ${b?.result.steadyCpuMs} ms with`,
      );
    }
    const micros = (timings: readonly OursTiming[]) =>
      timings.map(({ result }) => (result.steadyCpuMs * 1000) / swaps);
    const [without, beside] = [micros(plain), micros(watched)];
    const ratios = without.map((one, index) => one / (beside[index] ?? Number.NaN));
    const firings = watched[0]?.result.firings ?? 0;
    return [
      {
        goal: 'alertsBeside',
        ours: `${median(beside).toFixed(1)} µs a swap`,
        peer: `${median(without).toFixed(1)} µs without alerts`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: `${alerts.length} alerts on ${TOKENS} tokens, ${prices.length} of which trade; ${firings} firings in ${swaps} swaps, SQLite`,
      },
    ];
  });
}
