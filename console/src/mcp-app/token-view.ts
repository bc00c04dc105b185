// The view of `get_klines` and `get_token` in hosts that can show one: the token's figures and its
// candles. What it needs besides the answer it asks for by the same tools, through the host.

import type { ChartKline, KlinesReply, TokenReply } from '../api/contract-types.ts';
import { buildDrawnCandles } from '../chart/candle-book.ts';
import { createPriceChart } from '../chart/price-chart.ts';
import { formatCompact, formatCompactUsd, formatPercent } from '../format/format-amount.ts';
import { formatPrice, formatUsd } from '../format/format-price.ts';
import { shortenAddress } from '../format/shorten-address.ts';
import { lateTexts } from '../late-texts.ts';
import { findStepMs } from '../pages/token/token-choices.ts';
import { texts } from '../texts.ts';
import { openHostLink } from './host-link.ts';

const PROTOCOL_VERSION = '2026-01-26';
const INTERVALS = ['5m', '1h', '4h', '1d'] as const satisfies readonly KlinesReply['interval'][];
const CANDLES = 200;
/** Of a call, what candles of other intervals keep. */
const KEPT_INPUTS = ['currency', 'pool', 'outliers'];
const TRADINGVIEW = 'https://www.tradingview.com/';

/** What both tools answer, and what a call was made with. */
type Fields = Readonly<Record<string, unknown>>;

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

const { mcpApp } = lateTexts;

function add(parent: Element, tag: string, className = ''): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  parent.append(element);
  return element;
}

const view = add(document.body, 'main');
const title = add(view, 'h1');
const price = add(view, 'p', 'price');
const figures = add(view, 'p', 'soft');
const intervals = add(view, 'div', 'intervals');
const legend = add(view, 'p', 'legend soft');
const box = add(view, 'div', 'chart');
const note = add(view, 'p', 'soft');
note.setAttribute('role', 'status');
const credit = add(add(view, 'p', 'credit'), 'a');
credit.setAttribute('href', TRADINGVIEW);
credit.textContent = texts.token.chart.credit;

let rows: readonly ChartKline[] = [];
/** What names the candles: chain, mint, pool, currency. */
let asked: Fields = {};
/** Counts what was asked for; an answer that is not the last one is dropped. */
let round = 0;

const chart = createPriceChart({
  element: box,
  onHover: (openTime) => showLegend(rows.find((row) => row.openTime === openTime) ?? null),
  onNearStart: () => undefined,
});

function showLegend(row: ChartKline | null): void {
  const { legend: names } = texts.token.chart;
  const last = row ?? rows.at(-1);
  legend.textContent =
    last === undefined
      ? ''
      : [
          new Date(last.openTime).toLocaleString(texts.locale),
          ...(['open', 'high', 'low', 'close'] as const).map(
            (name) => `${names[name]} ${formatPrice(last[name])}`,
          ),
          `${names.volume} ${formatCompact(last.volume)}`,
        ].join(' ');
}

function showKlines({ interval, klines }: KlinesReply): void {
  rows = klines;
  const { candles } = buildDrawnCandles(rows, { isJoined: true, stepMs: findStepMs(interval) });
  chart.setCandles(candles, 'all');
  chart.showNewest(null);
  showLegend(null);
  note.textContent = candles.length === 0 ? mcpApp.empty : '';
  intervals.replaceChildren();
  for (const each of INTERVALS) {
    const button = add(intervals, 'button');
    button.textContent = each;
    button.setAttribute('aria-pressed', String(each === interval));
    button.addEventListener('click', () => void loadKlines(each));
  }
}

function showToken(token: TokenReply): void {
  const { symbol, name, mint, priceUsd, priceChange24hPct } = token;
  // Names are strangers' text: text nodes only.
  title.textContent = [symbol ?? shortenAddress(mint), name ?? ''].join(' ').trim();
  const change = priceChange24hPct;
  price.textContent = `${formatUsd(priceUsd)} ${change === null ? '' : formatPercent(change)}`;
  price.classList.toggle('down', (change ?? 0) < 0);
  figures.textContent = mcpApp.figures(
    formatCompactUsd(token.marketCapUsd),
    formatCompactUsd(token.liquidityUsd),
    formatCompactUsd(token.volume24hUsd),
  );
}

async function callTool<Answer>(name: string, input: Fields): Promise<Answer> {
  const result = (await host.request('tools/call', { name, arguments: input })) as ToolResult;
  if (result.isError === true) throw new Error(name);
  return result.structuredContent as Answer;
}

async function loadKlines(interval: string): Promise<void> {
  round += 1;
  const own = round;
  note.textContent = mcpApp.loading;
  try {
    const answer = await callTool<KlinesReply>('get_klines', {
      ...asked,
      ...{ interval, limit: CANDLES },
    });
    if (own === round) showKlines(answer);
  } catch {
    if (own === round) note.textContent = mcpApp.failed;
  }
}

async function showResult({ isError, structuredContent }: ToolResult): Promise<void> {
  round += 1;
  if (isError === true || typeof structuredContent !== 'object' || structuredContent === null) {
    note.textContent = mcpApp.failed;
    return;
  }
  const answer = structuredContent as KlinesReply | TokenReply;
  const { chain, mint } = answer;
  asked = { ...asked, chain, mint };
  if ('klines' in answer) {
    showKlines(answer);
    // Without a name the candles are as good.
    const naming = callTool<TokenReply>('get_token', { chain, mint });
    // Another token may have been asked for meanwhile.
    await naming.then(
      (token) => {
        if (asked['mint'] === mint && asked['chain'] === chain) showToken(token);
      },
      () => undefined,
    );
    return;
  }
  showToken(answer);
  await loadKlines('1h');
}

/** The theme; the rest of the host's style is its own. */
function follow({ theme }: Fields): void {
  if (theme !== 'dark' && theme !== 'light') return;
  document.documentElement.dataset['theme'] = theme;
  chart.repaint();
}

const host = openHostLink({
  'ui/notifications/tool-input': ({ arguments: input }) => {
    const given = Object.entries((input ?? {}) as Fields);
    asked = Object.fromEntries(given.filter(([name]) => KEPT_INPUTS.includes(name)));
  },
  'ui/notifications/tool-result': (result) => void showResult(result),
  'ui/notifications/tool-cancelled': () => {
    note.textContent = mcpApp.cancelled;
  },
  'ui/notifications/host-context-changed': follow,
});

credit.addEventListener('click', (event) => {
  event.preventDefault();
  host.request('ui/open-link', { url: TRADINGVIEW }).catch(() => undefined);
});

async function start(): Promise<void> {
  note.textContent = mcpApp.waiting;
  const { hostContext } = (await host.request('ui/initialize', {
    appInfo: { name: 'mintwire-token', version: '1' },
    appCapabilities: {},
    protocolVersion: PROTOCOL_VERSION,
  })) as { readonly hostContext?: Fields };
  follow(hostContext ?? {});
  host.notify('ui/notifications/initialized', {});
  const sizes = new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    host.notify('ui/notifications/size-changed', {
      width: Math.ceil(width),
      height: Math.ceil(height),
    });
  });
  sizes.observe(document.body);
}

void start();
