// `mintwire quote buy|sell <amount> <token>`: what a trade would pay.

import type { OutputOf } from '../../contract/operation.ts';
import type { getChains } from '../../contract/operations/get-chains.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { toUnits } from '../../lib/decimal.ts';
import { toTerminalLine } from '../../telemetry/terminal-text.ts';
import { readCommand, refuseCommand } from '../read-command.ts';
import { formatFacts, formatTable } from './format-table.ts';
import { formatAmount, formatNumber, shorten } from './format-value.ts';
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

type NativeCoin = OutputOf<typeof getChains>['chains'][number]['native'];

async function readNativeCoin(client: ServerClient, chain: string): Promise<NativeCoin> {
  const { chains } = await client.get<OutputOf<typeof getChains>>('/chains');
  const found = chains.find(({ slug }) => slug === chain);
  if (found === undefined) throw new ServerError(`the server does not follow ${chain}`);
  return found.native;
}

const SHOWN_USD_MIN = 0.01;

/** The coin and about as many dollars, or less than a cent; the coin alone without its price. */
function describeCost(totalRaw: string, native: NativeCoin): string {
  const units = toUnits(BigInt(totalRaw), native.decimals);
  const usd = native.priceUsd === null ? null : Number(native.priceUsd) * Number(units);
  if (usd !== null && usd < SHOWN_USD_MIN) return `less than ${SHOWN_USD_MIN} USD`;
  const dollars = usd === null ? '' : ` (${formatNumber(usd)} USD)`;
  return `at most ${formatNumber(units)} ${native.symbol}${dollars}`;
}

function describe(quote: ShownQuote, native: NativeCoin, width: number): string {
  const { input, output, networkCost, warnings } = quote;
  const slippage = `${quote.slippageBps / 100}% slippage`;
  const bound =
    output.minAmountRaw === undefined
      ? (['At most', `${formatAmount(input.maxAmountRaw ?? input.amountRaw, input)}`] as const)
      : (['At least', `${formatAmount(output.minAmountRaw, output)}`] as const);
  const ends = [input.symbol ?? '?', output.symbol ?? '?'];
  const pair = (quote.side === 'buy' ? ends : ends.reverse()).join(' per ');
  const facts: readonly (readonly [string, string])[] = [
    ['Receive', `${formatAmount(output.amountRaw, output)}${quote.exact ? '' : ', an estimate'}`],
    ['Pay', formatAmount(input.amountRaw, input)],
    [bound[0], `${bound[1]}, ${slippage}`],
    ['Price impact', `${quote.priceImpactBps / 100}%`],
    ...(quote.againstMarketBps === null
      ? []
      : ([['Against the market', `${(-quote.againstMarketBps / 100).toFixed(2)}%`]] as const)),
    ['Price', `${formatNumber(quote.executionPrice)} ${pair}`],
    ['Network cost', networkCost === null ? '-' : describeCost(networkCost.totalRaw, native)],
  ];
  const hops = quote.route.flatMap(({ shareBps, hops: path }) =>
    path.map((hop, at) => ({ ...hop, share: at === 0 ? `${shareBps / 100}%` : '' })),
  );
  const table = formatTable(
    hops,
    [
      { title: 'SHARE', read: ({ share }) => share, isNumber: true },
      { title: 'VENUE', read: ({ venue }) => venue },
      { title: 'POOL', read: ({ pool }) => pool, narrow: ({ pool }) => shorten(pool) },
      { title: 'FEE', read: ({ feePips }) => `${feePips / 10_000}%`, isNumber: true },
    ],
    { width },
  );
  return [
    ...warnings.map(({ code, message }) => toTerminalLine(`${code}: ${message}`)),
    ...(warnings.length === 0 ? [] : ['']),
    formatFacts(facts),
    ...['', table],
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
  await runRead(values, async ({ client, print, width }) => {
    const { chain, mint, decimals } = await resolveToken(client, text, values.chain);
    const native = await readNativeCoin(client, chain);
    const places = side === 'buy' ? native.decimals : decimals;
    if (places === null) throw new ServerError('the decimals of the token are not known');
    const raw = parseAmount(amount, places);
    if (raw === null) throw new ServerError(`"${amount}" is not an amount with ${places} decimals`);
    const bps = values['slippage-bps'];
    const answer = await client.post<ShownQuote>('/trade/quote', {
      ...{ chain, mint, side, amountInRaw: raw.toString() },
      ...(bps === undefined ? {} : { slippageBps: bps === 'auto' ? bps : Number(bps) }),
    });
    print(answer, () => describe(answer, native, width));
  });
}
