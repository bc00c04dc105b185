// The table of tokens: only rows near the screen are rendered, and those are live.

import { useRef } from 'preact/hooks';
import type { ListedTokenRow } from '../../api/contract-types.ts';
import { setQuery } from '../../current-location.ts';
import { SkeletonRows } from '../../parts/skeleton-rows.tsx';
import { entitlements } from '../../state/account.ts';
import { texts } from '../../texts.ts';
import type { RowWindow } from './compute-row-window.ts';
import type { ListChoices, ListSort } from './list-choices.ts';
import { useLivePrices } from './live-prices.ts';
import { buildTokenKey } from './merge-list-pages.ts';
import { TokenRow } from './token-row.tsx';
import { useRowWindow } from './use-row-window.ts';
import type { ShownTokens } from './use-token-list.ts';

/** As in style.css. */
const ROW_HEIGHT = 56;
const STREAM_TOKENS_ANONYMOUS = 10;
const SKELETON_ROWS = 15;

interface ListColumn {
  readonly name: keyof typeof texts.tokens.columns;
  readonly sort?: ListSort;
  readonly className: string;
}

const COLUMNS: readonly ListColumn[] = [
  { name: 'token', className: 'col-token' },
  { name: 'price', className: 'number col-price' },
  { name: 'change', sort: 'gainers', className: 'number col-change' },
  { name: 'chart', className: 'wide col-chart' },
  { name: 'volume', sort: 'volume', className: 'number wide' },
  { name: 'liquidity', sort: 'liquidity', className: 'number wide' },
  { name: 'marketCap', sort: 'marketCap', className: 'number wider' },
  { name: 'trades', sort: 'trades', className: 'number wider' },
  { name: 'age', sort: 'new', className: 'number wider' },
];
const COLUMN_CLASSES = COLUMNS.map(({ className }) => className);

function ColumnHead({ column, sort }: { column: ListColumn; sort: ListSort }) {
  const text = texts.tokens.columns[column.name];
  const own = column.sort;
  if (own === undefined) {
    return (
      <th scope="col" class={column.className}>
        {text}
      </th>
    );
  }
  // Gainers and losers are one column in two directions.
  const isLosers = own === 'gainers' && sort === 'losers';
  const isSorted = own === sort || isLosers;
  const next = own === 'gainers' && sort === 'gainers' ? 'losers' : own;
  const direction = isLosers ? 'ascending' : 'descending';
  return (
    <th scope="col" class={column.className} {...(isSorted ? { 'aria-sort': direction } : {})}>
      <button type="button" class="column" onClick={() => setQuery({ sort: next })}>
        {text} {isSorted && <span aria-hidden="true">{isLosers ? '↑' : '↓'}</span>}
      </button>
    </th>
  );
}

/** The rows on the screen, from its top as many as a stream may have. */
function pickLiveKeys(rows: readonly ListedTokenRow[], { seen }: RowWindow): string[] {
  const max = entitlements.value?.limits.streamTokens ?? STREAM_TOKENS_ANONYMOUS;
  const start = Math.max(0, Math.min(seen, rows.length - max));
  return rows.slice(start, start + max).map(buildTokenKey);
}

/** Without a cell: one over all columns would make room for those that are left out. */
function Spacer({ rows }: { rows: number }) {
  if (rows === 0) return null;
  return <tr style={{ height: `${rows * ROW_HEIGHT}px` }} />;
}

export function TokenTable({ list, choices }: { list: ShownTokens; choices: ListChoices }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = list.rows ?? [];
  const view = useRowWindow({ body, count: rows.length, rowHeight: ROW_HEIGHT });
  useLivePrices(pickLiveKeys(rows, view));
  return (
    <table class="tokens" aria-rowcount={rows.length + 1} aria-busy={list.rows === null}>
      <caption class="hidden">{texts.tokens.title}</caption>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <ColumnHead key={column.name} column={column} sort={choices.sort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {list.rows === null && <SkeletonRows count={SKELETON_ROWS} columns={COLUMN_CLASSES} />}
        <Spacer rows={view.from} />
        {rows.slice(view.from, view.to).map((row, index) => (
          <TokenRow
            key={buildTokenKey(row)}
            row={row}
            at={view.from + index}
            window={choices.window}
          />
        ))}
        <Spacer rows={rows.length - view.to} />
      </tbody>
    </table>
  );
}
