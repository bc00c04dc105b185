// What webhooks cost the indexer at full speed: the same swaps with and without them, in turns. By
// CPU of the indexer's thread and its store's: the thread that sends has another core.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Address } from '../src/model/ids.ts';
import { buildFakeAddress } from '../test/fakes/fake-market.ts';
import { type OursTiming, timeOurs } from './ingest-ours.ts';
import { median, spread } from './measure.ts';
import { type RecordedChain, withChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const TOKENS_EACH = 100;
const SWAPS_PER_BLOCK = 10;
const OPTIONS = { engine: 'sqlite', transferRows: false } as const;

/** Each has one token that trades, and others that do not. */
function listTokens(count: number, traded: readonly Address[]): readonly (readonly Address[])[] {
  return Array.from({ length: count }, (_, index) => [
    ...traded.slice(index % traded.length, (index % traded.length) + 1),
    ...Array.from({ length: TOKENS_EACH - 1 }, (_, place) =>
      buildFakeAddress('d1e', (index * TOKENS_EACH + place) % 10_000),
    ),
  ]);
}

interface Receiver {
  readonly url: string;
  /** The events that came since the last call. */
  take(): Promise<number>;
}

async function withReceiver<T>(work: (receiver: Receiver) => Promise<T>): Promise<T> {
  const child = fork(new URL('./webhook-receiver.ts', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const take = async () => {
    child.send({});
    const [{ events }] = (await once(child, 'message')) as [{ events: number }];
    return events;
  };
  try {
    return await work({ url: `http://127.0.0.1:${port}/`, take });
  } finally {
    child.kill('SIGKILL');
  }
}

interface Measured {
  readonly plain: readonly number[];
  readonly beside: readonly number[];
  readonly note: string;
}

async function measure(
  chain: RecordedChain,
  of: {
    readonly tokens: readonly (readonly Address[])[];
    readonly repetitions: number;
    readonly swaps: number;
  },
): Promise<Measured> {
  const { tokens, repetitions, swaps } = of;
  const count = tokens.length;
  const micros = ({ result: { threads } }: OursTiming) =>
    ((threads.indexerMs + threads.storeMs) * 1000) / swaps;
  const [plain, beside]: [number[], number[]] = [[], []];
  let note = '';
  for (let turn = 0; turn < repetitions; turn += 1) {
    plain.push(micros(await timeOurs(chain, OPTIONS)));
    await withReceiver(async ({ url, take }) => {
      const timing = await timeOurs(chain, { ...OPTIONS, webhooks: { url, tokens } });
      const { webhooks } = timing.result;
      if (webhooks === null) throw new Error('no webhooks were sent');
      beside.push(micros(timing));
      note =
        `${count} webhooks of ${TOKENS_EACH} tokens, one of which trades; until the end of indexing ` +
        `${await take()} events in ${webhooks.delivered} deliveries, ${Math.round(webhooks.cpuMs)} ms of CPU on their thread`;
    });
    console.error(`webhooks: ${plain.at(-1)} µs without, ${beside.at(-1)} µs with ${count}`);
  }
  return { plain, beside, note };
}

export async function benchWebhooks({ quick }: { readonly quick: boolean }): Promise<Row[]> {
  const swaps = quick ? 20_000 : 60_000;
  const repetitions = quick ? 2 : 5;
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: SWAPS_PER_BLOCK } as const;
  return withChain({ ...recorded, blockTimestamps: true }, async (chain) => {
    // The first run says which tokens trade; it is not counted.
    const { prices } = (await timeOurs(chain, OPTIONS)).result;
    const traded = prices.map(([token]) => token);
    const rows: Row[] = [];
    for (const [goal, count] of [
      ['webhooksBeside', 1000],
      ['webhooksMany', 10_000],
    ] as const) {
      const { plain, beside, note } = await measure(chain, {
        tokens: listTokens(count, traded),
        repetitions,
        swaps,
      });
      const ratios = plain.map((one, index) => one / (beside[index] ?? Number.NaN));
      rows.push({
        goal,
        ours: `${median(beside).toFixed(1)} µs a swap`,
        peer: `${median(plain).toFixed(1)} µs without webhooks`,
        ratio: median(ratios),
        spread: spread(ratios),
        note,
      });
    }
    return rows;
  });
}
