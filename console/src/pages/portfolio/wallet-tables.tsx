// What a wallet holds, its positions with profit and loss, and its trades.

import type { ComponentChildren } from 'preact';
import { api } from '../../api/api-client.ts';
import type {
  WalletBalancesReply,
  WalletPositionsReply,
  WalletTradesReply,
} from '../../api/contract-types.ts';
import { type LoadedResource, useResource } from '../../api/use-resource.ts';
import { formatCount } from '../../format/format-amount.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { AgeText } from '../../parts/age-text.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FigureText, ProfitText } from '../../parts/figure-text.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildTokenHref } from '../../routes.ts';
import { texts } from '../../texts.ts';
import type { PortfolioSubject } from './portfolio-choices.ts';

const REFRESH_MS = 15_000;

type HeldToken = WalletBalancesReply['balances'][number];
type ShownPosition = WalletPositionsReply['positions'][number];
type WalletTradeRow = WalletTradesReply['trades'][number];

interface WalletReplies {
  readonly getWalletBalances: WalletBalancesReply;
  readonly getWalletPositions: WalletPositionsReply;
  readonly getWalletTrades: WalletTradesReply;
}

function useWallet<Name extends keyof WalletReplies>(
  name: Name,
  { chain, wallet }: PortfolioSubject,
) {
  const read = api[name] as (
    ...call: Parameters<typeof api.getWalletTrades>
  ) => Promise<WalletReplies[Name]>;
  return useResource<WalletReplies[Name]>({
    key: `${name}:${chain}:${wallet}`,
    load: (signal) => read({ chain, wallet, limit: 100 }, { signal }),
    refreshMs: REFRESH_MS,
  });
}

interface AnswerProps {
  readonly of: LoadedResource<unknown>;
  readonly children: ComponentChildren;
}

/** What is wrong, and what is known: without either, the place of what is on its way. */
function Answer({ of: { value, problem, reload }, children }: AnswerProps) {
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {(value !== null || problem === null) && children}
    </>
  );
}

function TokenLink({
  chain,
  mint,
  symbol,
}: {
  chain: string;
  mint: string;
  symbol: string | null;
}) {
  return (
    <a class="line" href={buildTokenHref({ chain, mint })} title={symbol ?? mint}>
      {symbol ?? texts.token.unnamed}
    </a>
  );
}

const { columns, empty } = texts.portfolio;

export function BalancesTable({ subject }: { subject: PortfolioSubject }) {
  const balances = useWallet('getWalletBalances', subject);
  const { value } = balances;
  const tableColumns: TableColumn<HeldToken>[] = [
    { text: columns.token, cell: (row) => <TokenLink {...row} chain={subject.chain} /> },
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
  return (
    <Answer of={balances}>
      {value !== null && (
        <dl class="stats">
          <div>
            <dt>{texts.portfolio.total}</dt>
            <dd>
              <FigureText value={value.totalUsd} as="usd" />
            </dd>
          </div>
          <div>
            <dt>{value.native.symbol}</dt>
            <dd>
              <FigureText value={value.native.amount} as="amount" />{' '}
              <span class="soft">
                <FigureText value={value.native.valueUsd} as="usd" />
              </span>
            </dd>
          </div>
        </dl>
      )}
      {value !== null && !value.coverage.tokensComplete && (
        <p class="soft small">{texts.portfolio.incomplete}</p>
      )}
      <DataTable
        label={texts.portfolio.tabs.balances}
        columns={tableColumns}
        rows={value?.balances ?? null}
        keyOf={(row) => row.mint}
        empty={empty.balances}
      />
    </Answer>
  );
}

function buildPositionColumns(chain: string): TableColumn<ShownPosition>[] {
  return [
    { text: columns.token, cell: (row) => <TokenLink {...row} chain={chain} /> },
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
}

export function PositionsTable({ subject }: { subject: PortfolioSubject }) {
  const positions = useWallet('getWalletPositions', subject);
  const rows = positions.value?.positions ?? null;
  return (
    <Answer of={positions}>
      <DataTable
        label={texts.portfolio.tabs.positions}
        columns={buildPositionColumns(subject.chain)}
        rows={rows}
        keyOf={(row) => row.mint}
        empty={empty.positions}
      />
      {rows?.some((row) => !row.complete) && <p class="soft small">* {texts.portfolio.partial}</p>}
    </Answer>
  );
}

function buildTradeColumns(chain: string): TableColumn<WalletTradeRow>[] {
  const { trades } = texts.token;
  return [
    { text: trades.columns.age, cell: (row) => <AgeText timeMs={row.timestamp} /> },
    { text: columns.token, cell: (row) => <TokenLink {...row.token} /> },
    {
      text: trades.columns.side,
      cell: (row) => <span class={row.side === 'buy' ? 'up' : 'down'}>{trades[row.side]}</span>,
    },
    {
      text: trades.columns.price,
      className: 'number wide',
      cell: (row) => <FigureText value={row.priceUsd} as="price" />,
    },
    {
      text: trades.columns.amount,
      className: 'number wide',
      cell: (row) => <FigureText value={row.amount} as="amount" />,
    },
    {
      text: trades.columns.value,
      className: 'number',
      cell: (row) => <FigureText value={row.valueUsd} as="usd" />,
    },
    {
      text: trades.columns.transaction,
      className: 'wide',
      cell: (row) => <AddressText chain={chain} id={row.txHash} kind="tx" />,
    },
  ];
}

export function WalletTradesTable({ subject }: { subject: PortfolioSubject }) {
  const trades = useWallet('getWalletTrades', subject);
  return (
    <Answer of={trades}>
      <DataTable
        label={texts.portfolio.tabs.trades}
        columns={buildTradeColumns(subject.chain)}
        rows={trades.value?.trades ?? null}
        keyOf={(row) => row.id}
        empty={empty.trades}
      />
    </Answer>
  );
}
