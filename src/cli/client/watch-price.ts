// `mintwire watch <token>`: a line with a token's price that moves with the market.

import { toTerminalLine } from '../../telemetry/terminal-text.ts';
import { readCommand, refuseCommand } from '../read-command.ts';
import { drawLine } from './draw-line.ts';
import { type Follow, followEvents } from './follow-events.ts';
import { formatNumber, formatPct } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, type ReadRun, runRead } from './run-read.ts';

const HELP = `usage: npx mintwire watch <token> [--chain <chain>] [--events <count>]

Shows a token's price live, with a small chart, until Ctrl-C or so many events. In a pipe it prints
each event of the stream as a line of JSON. <token> is chain:mint, or a symbol or name: then the token
that a search finds first. The words add, remove and list are the operator's commands instead:

       npx mintwire watch add|remove|list --help

${READ_HELP}`;

const FORM = {
  name: 'npx mintwire watch',
  help: HELP,
  flags: { chain: { type: 'string' }, events: { type: 'string' }, ...READ_FLAGS },
  args: ['token'],
} as const;

/** Where the chart begins, and how many prices it has. */
const START_COUNT = 60;
const POINTS_MAX = 240;
const CLEAR_LINE = '\r\u001b[2K';

interface PriceEvent {
  readonly priceUsd: string | null;
  readonly priceChange24hPct: number | null;
  readonly volume24hUsd: string | null;
}

interface Klines {
  readonly klines: readonly { readonly close: string | null }[];
}

/** The live line of a token. */
class PriceLine {
  readonly #name: string;
  readonly #width: number;
  #points: number[];

  constructor(name: string, width: number, points: readonly number[]) {
    this.#name = name;
    this.#width = width;
    this.#points = [...points];
  }

  draw({ priceUsd, priceChange24hPct, volume24hUsd }: PriceEvent): string {
    if (priceUsd !== null) this.#points = [...this.#points, Number(priceUsd)].slice(-POINTS_MAX);
    const parts = [
      `${this.#name} ${formatNumber(priceUsd)} USD`,
      formatPct(priceChange24hPct),
      `volume ${formatNumber(volume24hUsd)}`,
    ];
    const text = parts.join('  ');
    const room = this.#width - text.length - 3;
    return room < 8 ? text.slice(0, this.#width - 1) : `${text}  ${drawLine(this.#points, room)}`;
  }
}

function findPrice({ event, data }: { event: string; data: unknown }): PriceEvent | null {
  if (event === 'price') return data as PriceEvent;
  return event === 'snapshot' ? (data as { token: PriceEvent }).token : null;
}

async function showLive(reading: ReadRun, watch: Omit<Follow, 'client' | 'onEvent'>, name: string) {
  const { chain, mint } = watch.query;
  const { klines } = await reading.client.get<Klines>('/token/klines', {
    ...{ chain, mint, interval: '1m', limit: START_COUNT, fill: 'previous' },
  });
  const points = klines.flatMap(({ close }) => (close === null ? [] : [Number(close)]));
  const line = new PriceLine(name, reading.width, points);
  await followEvents({
    ...{ client: reading.client, ...watch },
    onEvent: (event) => {
      const price = findPrice(event);
      if (price !== null) process.stdout.write(`${CLEAR_LINE}${line.draw(price)}`);
    },
  });
  process.stdout.write('\n');
}

export async function watchPrice(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  const eventsMax = values.events === undefined ? Number.POSITIVE_INFINITY : Number(values.events);
  if (!(eventsMax >= 1)) {
    refuseCommand(FORM, '--events must be a number of events');
    return;
  }
  await runRead(values, async (reading) => {
    const { chain, mint, symbol } = await resolveToken(reading.client, args[0] ?? '', values.chain);
    const events = reading.isForPerson ? 'price' : 'price,trade';
    const watch = { query: { chain, mint, events }, eventsMax };
    if (reading.isForPerson) return showLive(reading, watch, toTerminalLine(symbol ?? mint));
    const onEvent = (event: object) => console.log(JSON.stringify(event));
    return followEvents({ client: reading.client, ...watch, onEvent });
  });
}
