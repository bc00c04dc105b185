// What a wallet holds, its positions with profit and loss, and its trades, of all its chains.

import type { ComponentChildren } from 'preact';
import type {
  WalletBalancesReply,
  WalletPositionsReply,
  WalletTradesReply,
} from '../../api/contract-types.ts';
import { formatCount } from '../../format/format-amount.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { AgeText } from '../../parts/age-text.tsx';
import { ChainIcon, ChainName } from '../../parts/chain-icon.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FigureText, ProfitText } from '../../parts/figure-text.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildTokenHref } from '../../routes.ts';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import type { PortfolioSubject } from './portfolio-choices.ts';
import { type ChainAnswers, useWallet, type WalletResource } from './read-wallet.ts';
import { ValueChart } from './value-chart.tsx';

interface OnChain {
  readonly chain: string;
}
interface HeldToken extends OnChain {
  readonly mint: string | null;
  readonly symbol: string | null;
  readonly amount: string | null;
  readonly priceUsd: string | null;
  readonly valueUsd: string | null;
}
type ShownPosition = WalletPositionsReply['positions'][number] & OnChain;
type WalletTradeRow = WalletTradesReply['trades'][number];

const USD_DIGITS = 6;

interface AnswerProps {
  readonly of: WalletResource<'getWalletBalances' | 'getWalletPositions' | 'getWalletTrades'>;
  readonly children: ComponentChildren;
}

/** What is wrong, and what is known: without either, the place of what is on its way. */
function Answer({ of: { value, problem, reload }, children }: AnswerProps) {
  const missing = value?.missing.map((slug) => findChain(slug)?.name ?? slug) ?? [];
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {missing.length > 0 && <p class="warn">{texts.portfolio.missing(missing.join(', '))}</p>}
      {(value !== null || problem === null) && children}
    </>
  );
}

interface TokenLinkProps extends OnChain {
  /** Null for the chain's coin. */
  readonly mint: string | null;
  readonly symbol: string | null;
}

function TokenLink({ chain, mint, symbol }: TokenLinkProps) {
  const text = symbol ?? texts.token.unnamed;
  return (
    <span class="line">
      <ChainIcon chain={chain} />{' '}
      {mint === null ? (
        text
      ) : (
        <a class="line" href={buildTokenHref({ chain, mint })} title={symbol ?? mint}>
          {text}
        </a>
      )}
    </span>
  );
}

const { columns, empty } = texts.portfolio;

/** Of all chains, the most valuable first. */
function listBalances({ answers }: ChainAnswers<WalletBalancesReply>): HeldToken[] {
  return answers
    .flatMap(({ chain, reply: { native, balances } }): HeldToken[] => [
      { ...native, chain, mint: null },
      ...balances.map((balance) => ({ ...balance, chain })),
    ])
    .toSorted((a, b) => Number(b.valueUsd ?? -1) - Number(a.valueUsd ?? -1));
}

function Totals({ value }: { value: ChainAnswers<WalletBalancesReply> }) {
  const sums = value.answers.map(({ chain, reply: { native, balances } }) => {
    const rows = [native, ...balances];
    return { chain, sum: rows.reduce((sum, row) => sum + Number(row.valueUsd ?? 0), 0) };
  });
  const total = sums.reduce((all, { sum }) => all + sum, 0);
  return (
    <dl class="stats">
      <div>
        <dt>{texts.portfolio.total}</dt>
        <dd>
          <strong>
            <FigureText value={total.toFixed(USD_DIGITS)} as="usd" />
          </strong>
        </dd>
      </div>
      {sums.map(({ chain, sum }) => (
        <div key={chain}>
          <dt>
            <ChainName chain={chain} />
          </dt>
          <dd>
            <FigureText value={sum.toFixed(USD_DIGITS)} as="usd" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const BALANCE_COLUMNS: readonly TableColumn<HeldToken>[] = [
  { text: columns.token, cell: (row) => <TokenLink {...row} /> },
  {
    text: columns.amount,
    className: 'number',
    cell: (row) => <FigureText value={row.amount} as="amount" />,
  },
  {
    text: columns.price,
    className: 'number wide',
    cell: (row) => <FigureText value={row.priceUsd} as="price" />,
  },
  {
    text: columns.value,
    className: 'number',
    cell: (row) => <FigureText value={row.valueUsd} as="usd" />,
  },
];

export function BalancesTable({ subject }: { subject: PortfolioSubject }) {
  const balances = useWallet('getWalletBalances', subject);
  const { value } = balances;
  const isIncomplete = value?.answers.some(({ reply }) => !reply.coverage.tokensComplete) ?? false;
  const isLong = value?.answers.some(({ reply }) => reply.nextCursor !== null) ?? false;
  return (
    <Answer of={balances}>
      {value !== null && <Totals value={value} />}
      <ValueChart subject={subject} balances={value} />
      {isIncomplete && <p class="soft small">{texts.portfolio.incomplete}</p>}
      {isLong && <p class="soft small">{texts.portfolio.first}</p>}
      <DataTable
        label={texts.portfolio.tabs.balances}
        columns={BALANCE_COLUMNS}
        rows={value === null ? null : listBalances(value)}
        keyOf={(row) => `${row.chain}:${row.mint}`}
        empty={empty.balances}
      />
    </Answer>
  );
}

const POSITION_COLUMNS: readonly TableColumn<ShownPosition>[] = [
  { text: columns.token, cell: (row) => <TokenLink {...row} /> },
  {
    text: columns.amount,
    className: 'number wide',
    cell: (row) => <FigureText value={row.amount} as="amount" />,
  },
  {
    text: columns.cost,
    className: 'number wide',
    cell: (row) => <FigureText value={row.averageCostUsd} as="price" />,
  },
  {
    text: columns.unrealised,
    className: 'number',
    cell: (row) => <ProfitText value={row.unrealisedUsd} />,
  },
  {
    text: columns.realised,
    className: 'number',
    cell: (row) => (
      <>
        <ProfitText value={row.realisedUsd} />
        {!row.complete && <span title={texts.portfolio.partial}> *</span>}
      </>
    ),
  },
  {
    text: columns.trades,
    className: 'number wide',
    cell: (row) => formatCount(row.buys + row.sells),
  },
  {
    text: columns.last,
    className: 'number wide',
    cell: (row) => <AgeText timeMs={row.lastTradeAt} />,
  },
];

export function PositionsTable({ subject }: { subject: PortfolioSubject }) {
  const positions = useWallet('getWalletPositions', subject);
  const rows =
    positions.value?.answers
      .flatMap(({ chain, reply }) => reply.positions.map((row) => ({ ...row, chain })))
      .toSorted((a, b) => b.lastTradeAt - a.lastTradeAt) ?? null;
  return (
    <Answer of={positions}>
      <DataTable
        label={texts.portfolio.tabs.positions}
        columns={POSITION_COLUMNS}
        rows={rows}
        keyOf={(row) => `${row.chain}:${row.mint}`}
        empty={empty.positions}
      />
      {rows?.some((row) => !row.complete) && <p class="soft small">* {texts.portfolio.partial}</p>}
    </Answer>
  );
}

const { trades: tradeTexts } = texts.token;

const TRADE_COLUMNS: readonly TableColumn<WalletTradeRow>[] = [
  { text: tradeTexts.columns.age, cell: (row) => <AgeText timeMs={row.timestamp} /> },
  { text: columns.token, cell: (row) => <TokenLink {...row.token} /> },
  {
    text: tradeTexts.columns.side,
    cell: (row) => <span class={row.side === 'buy' ? 'up' : 'down'}>{tradeTexts[row.side]}</span>,
  },
  {
    text: tradeTexts.columns.price,
    className: 'number wide',
    cell: (row) => <FigureText value={row.priceUsd} as="price" />,
  },
  {
    text: tradeTexts.columns.amount,
    className: 'number wide',
    cell: (row) => <FigureText value={row.amount} as="amount" />,
  },
  {
    text: tradeTexts.columns.value,
    className: 'number',
    cell: (row) => <FigureText value={row.valueUsd} as="usd" />,
  },
  {
    text: tradeTexts.columns.transaction,
    className: 'wide',
    cell: (row) => <AddressText chain={row.token.chain} id={row.txHash} kind="tx" />,
  },
];

export function WalletTradesTable({ subject }: { subject: PortfolioSubject }) {
  const trades = useWallet('getWalletTrades', subject);
  const rows =
    trades.value?.answers
      .flatMap(({ reply }) => reply.trades)
      .toSorted((a, b) => b.timestamp - a.timestamp) ?? null;
  return (
    <Answer of={trades}>
      <DataTable
        label={texts.portfolio.tabs.trades}
        columns={TRADE_COLUMNS}
        rows={rows}
        keyOf={(row) => row.id}
        empty={empty.trades}
      />
    </Answer>
  );
}
