// The tape: trades as they happen, with filters that are in the URL.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { TradeRow } from '../../api/contract-types.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatCompact, formatCompactUsd } from '../../format/format-amount.ts';
import { formatUsd } from '../../format/format-price.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { AgeText } from '../../parts/age-text.tsx';
import { EntryField, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SkeletonRows } from '../../parts/skeleton-rows.tsx';
import { me } from '../../state/account.ts';
import { texts } from '../../texts.ts';
import { changeFilter, parseSide, parseTapeFilter } from './tape-filter.ts';
import { TapeReader, type TapeState } from './tape-reader.ts';
import type { TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';
import type { TapeFilter } from './trade-tape.ts';

interface TradesTabProps {
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
}

const COLUMNS = [
  'age',
  'side',
  'price',
  'amount',
  'value',
  'wallet',
  'venue',
  'transaction',
] as const;

const FILTER_MAX = 64;

const NOTHING_READ: TapeState = { rows: null, hasMore: false, problem: null };

function useTape({ feed, choices }: TradesTabProps, filter: TapeFilter) {
  const [state, setState] = useState(NOTHING_READ);
  const reader = useRef<TapeReader | null>(null);
  const { chain, mint, pool } = choices;
  const { side, minUsd, wallet } = filter;
  useEffect(() => {
    const own = new TapeReader({
      feed,
      subject: { chain, mint, pool },
      filter: { side, minUsd, wallet },
      onChange: setState,
    });
    reader.current = own;
    return () => own.close();
  }, [feed, chain, mint, pool, side, minUsd, wallet]);
  return { ...state, loadOlder: () => void reader.current?.loadOlder() };
}

function TapeFilters({ filter }: { filter: TapeFilter }) {
  const { trades } = texts.token;
  return (
    <div class="bar">
      <SelectField
        label={trades.side}
        value={filter.side ?? ''}
        options={[
          ['', trades.allSides],
          ['buy', trades.buy],
          ['sell', trades.sell],
        ]}
        onChange={(side) => changeFilter(filter, { side: parseSide(side) })}
      />
      <EntryField
        label={trades.minUsd}
        value={filter.minUsd ?? ''}
        maxLength={FILTER_MAX}
        inputMode="decimal"
        onEnter={(minUsd) => changeFilter(filter, { minUsd: minUsd === '' ? null : minUsd })}
      />
      <EntryField
        label={trades.wallet}
        value={filter.wallet ?? ''}
        maxLength={FILTER_MAX}
        onEnter={(wallet) => setQuery({ wallet })}
      />
    </div>
  );
}

/** A dollar is nothing, a million the whole width: by the number of digits. */
const SIZE_DIGITS_MAX = 6;

function SizeBar({ valueUsd, isBuy }: { valueUsd: string | null; isBuy: boolean }) {
  const digits = Math.log10(Math.max(1, Number(valueUsd ?? 0)));
  const width = Math.min(100, (digits * 100) / SIZE_DIGITS_MAX);
  return (
    <span class={isBuy ? 'size up' : 'size down'} aria-hidden="true">
      <span style={{ width: `${width}%` }} />
    </span>
  );
}

function TradeLine({ trade, chain }: { trade: TradeRow; chain: string }) {
  const { trades } = texts.token;
  const isOwn = trade.wallet.toLowerCase() === me.value?.wallet.address.toLowerCase();
  return (
    <tr data-id={trade.id} class={isOwn ? 'own' : ''} title={trade.outlier ? trades.outlier : ''}>
      <td>
        <AgeText timeMs={trade.timestamp} />
      </td>
      <td class={trade.side === 'buy' ? 'up' : 'down'}>{trades[trade.side]}</td>
      <td class="number" title={trade.priceUsd ?? ''}>
        {formatUsd(trade.priceUsd)}
        {trade.outlier && <span class="soft"> *</span>}
      </td>
      <td class="number wide" title={trade.amount ?? ''}>
        {formatCompact(trade.amount)}
      </td>
      <td class="number" title={trade.valueUsd ?? ''}>
        {formatCompactUsd(trade.valueUsd)}
        <SizeBar valueUsd={trade.valueUsd} isBuy={trade.side === 'buy'} />
      </td>
      <td class="wide">
        <AddressText chain={chain} id={trade.wallet} kind="address" />
      </td>
      <td class="wider" title={trade.pool}>
        {trade.venue}
      </td>
      <td class="wider">
        <AddressText chain={chain} id={trade.txHash} kind="tx" />
      </td>
    </tr>
  );
}

const COLUMN_CLASSES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  age: '',
  side: '',
  price: 'number',
  amount: 'number wide',
  value: 'number',
  wallet: 'wide',
  venue: 'wider',
  transaction: 'wider',
};

export function TradesTab(props: TradesTabProps) {
  const filter = parseTapeFilter(currentLocation.value.query);
  const { rows, hasMore, problem, loadOlder } = useTape(props, filter);
  const { trades } = texts.token;
  return (
    <>
      <TapeFilters filter={filter} />
      {problem !== null && <ProblemNote problem={problem} />}
      <table class="plain tape">
        <caption class="hidden">{texts.token.tabs.trades}</caption>
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" class={COLUMN_CLASSES[name]}>
                {trades.columns[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === null && (
            <SkeletonRows count={12} columns={COLUMNS.map((name) => COLUMN_CLASSES[name])} />
          )}
          {rows?.map((trade) => (
            <TradeLine key={trade.id} trade={trade} chain={props.choices.chain} />
          ))}
        </tbody>
      </table>
      {rows !== null && rows.length === 0 && <p class="note">{trades.empty}</p>}
      {hasMore && (
        <button type="button" class="more" onClick={loadOlder}>
          {trades.more}
        </button>
      )}
    </>
  );
}
