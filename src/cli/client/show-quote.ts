// `mintwire quote buy|sell <amount> <token>`: what a trade would pay.

import type { OutputOf } from '../../contract/operation.ts';
import type { getChains } from '../../contract/operations/get-chains.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { readCommand, refuseCommand } from '../read-command.ts';
import { formatTable } from './format-table.ts';
import { formatNumber, shorten } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';
import { type ServerClient, ServerError } from './server-client.ts';

const FORM = {
  name: 'npx mintwire quote',
  help: `usage: npx mintwire quote buy  <amount> <token> [--chain <chain>] [--slippage-bps <50|auto>]
       npx mintwire quote sell <amount> <token> [--chain <chain>] [--slippage-bps <50|auto>]

Prices a trade; nothing is sent. <amount> is what is spent: for buy the chain's coin, for sell the
token. <token> is chain:mint, or a symbol or name: then the token that a search finds first.

${READ_HELP}`,
  flags: { chain: { type: 'string' }, 'slippage-bps': { type: 'string' }, ...READ_FLAGS },
  args: ['buy or sell', 'amount', 'token'],
} as const;

type ShownQuote = OutputOf<typeof quoteTrade>;

/** Exact; null if it is not a number, or has more decimals. */
function parseAmount(text: string, decimals: number): bigint | null {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || part.length > decimals) return null;
  return BigInt(whole + part.padEnd(decimals, '0'));
}

async function readSpentDecimals(
  client: ServerClient,
  { side, chain, decimals }: { side: string; chain: string; decimals: number | null },
): Promise<number> {
  if (side === 'buy') {
    const { chains } = await client.get<OutputOf<typeof getChains>>('/chains');
    const found = chains.find(({ slug }) => slug === chain);
    if (found !== undefined) return found.native.decimals;
  } else if (decimals !== null) return decimals;
  throw new ServerError('the decimals of what is spent are not known');
}

function describe(quote: ShownQuote): string {
  const { input, output, networkCost, warnings } = quote;
  const shown = (one: { amount: string | null; amountRaw: string; symbol: string | null }) =>
    `${one.amount ?? `${one.amountRaw} (raw)`} ${one.symbol ?? ''}`.trim();
  const facts: readonly (readonly [string, string])[] = [
    ['Spend', shown(input)],
    ['Receive', `${shown(output)}${quote.exact ? ', exact' : ', an estimate'}`],
    [
      'At least',
      `${output.minAmountRaw ?? output.amountRaw} raw units, ${quote.slippageBps / 100}% slippage`,
    ],
    ['Price', formatNumber(quote.executionPrice)],
    ['Price impact', `${quote.priceImpactBps / 100}%`],
    ['Network cost', networkCost === null ? '-' : `at most ${networkCost.totalRaw} raw units`],
  ];
  const width = Math.max(...facts.map(([label]) => label.length));
  const hops = quote.route.flatMap(({ shareBps, hops: path }) =>
    path.map((hop, at) => ({ ...hop, share: at === 0 ? `${shareBps / 100}%` : '' })),
  );
  const table = formatTable(hops, [
    { title: 'SHARE', read: ({ share }) => share, isNumber: true },
    { title: 'VENUE', read: ({ venue }) => venue },
    { title: 'POOL', read: ({ pool }) => shorten(pool) },
    { title: 'FEE', read: ({ feePips }) => `${feePips / 10_000}%`, isNumber: true },
  ]);
  return [
    ...facts.map(([label, value]) => `${label.padEnd(width)}  ${value}`),
    ...['', table],
    ...warnings.map(({ code, message }) => `\n${code}: ${message}`),
  ].join('\n');
}

export async function showQuote(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  const [side = '', amount = '', text = ''] = args;
  if (side !== 'buy' && side !== 'sell') {
    refuseCommand(FORM, `no side "${side}"; known: buy, sell`);
    return;
  }
  await runRead(values, async ({ client, print }) => {
    const { chain, mint, decimals } = await resolveToken(client, text, values.chain);
    const places = await readSpentDecimals(client, { side, chain, decimals });
    const raw = parseAmount(amount, places);
    if (raw === null) throw new ServerError(`"${amount}" is not an amount with ${places} decimals`);
    const bps = values['slippage-bps'];
    const answer = await client.post<ShownQuote>('/trade/quote', {
      ...{ chain, mint, side, amountInRaw: raw.toString() },
      ...(bps === undefined ? {} : { slippageBps: bps === 'auto' ? bps : Number(bps) }),
    });
    print(answer, () => describe(answer));
  });
}
