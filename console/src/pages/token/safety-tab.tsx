// What was measured of a token's safety: warnings, facts and each pool's round trip.

import { api } from '../../api/api-client.ts';
import type { SafetyReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { formatPercent } from '../../format/format-amount.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { AgeText } from '../../parts/age-text.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import { describeFact, type SafetyFact } from './describe-fact.ts';
import type { TokenChoices } from './token-choices.ts';

/** Asking makes the server check pools that it has not checked. */
const REFRESH_MS = 20_000;
const BPS_PER_PERCENT = 100;

type PoolSafetyRow = SafetyReply['pools'][number];

const { safety } = texts.token;

function formatTax(bps: number | null): string {
  return formatPercent(bps === null ? null : bps / BPS_PER_PERCENT);
}

function formatSellable(isSellable: boolean | null): string {
  if (isSellable === null) return '–';
  return isSellable ? safety.yes : safety.no;
}

const { columns, poolColumns } = safety;

function buildFactColumns(decimals: number | null): TableColumn<SafetyFact>[] {
  return [
    { text: columns.fact, cell: (row) => describeFact(row, decimals).name },
    {
      text: columns.value,
      className: 'break',
      cell: (row) => (
        <span title={String(row.value ?? '')}>{describeFact(row, decimals).text}</span>
      ),
    },
    { text: columns.source, className: 'soft', cell: ({ source }) => source },
  ];
}

/** How much of a pool's liquidity nobody can take out, or not yet. */
function describeLiquidity(liquidity: PoolSafetyRow['liquidity']): string | null {
  if (liquidity === null) return null;
  const { lpBurnedPct, lpLocked } = liquidity;
  const burned = safety.burned(formatPercent(lpBurnedPct));
  if (lpLocked.pct === 0) return burned;
  const names = [...new Set(lpLocked.where.map(({ name }) => name))].join(', ');
  const locked = safety.locked(formatPercent(lpLocked.pct), names);
  const day = lpLocked.until === null ? null : new Date(lpLocked.until).toISOString().slice(0, 10);
  return `${burned}, ${locked}${day === null ? '' : ` ${safety.until(day)}`}`;
}

function PoolNotes({ chain, row }: { readonly chain: string; readonly row: PoolSafetyRow }) {
  const liquidity = describeLiquidity(row.liquidity);
  return (
    <>
      {liquidity !== null && <div class="soft small break">{liquidity}</div>}
      {row.hook !== null && (
        <div class="soft small break">
          {safety.hook} <AddressText chain={chain} id={row.hook.address} kind="address" />{' '}
          {safety.hookClass[row.hook.class]}
        </div>
      )}
    </>
  );
}

function buildPoolColumns(chain: string): TableColumn<PoolSafetyRow>[] {
  return [
    {
      text: poolColumns.pool,
      cell: (row) => (
        <>
          {row.venue} <AddressText chain={chain} id={row.pool} kind="address" />
          <PoolNotes chain={chain} row={row} />
        </>
      ),
    },
    { text: poolColumns.buy, className: 'number', cell: (row) => formatTax(row.buyTaxBps) },
    { text: poolColumns.sell, className: 'number', cell: (row) => formatTax(row.sellTaxBps) },
    { text: poolColumns.sellable, cell: (row) => formatSellable(row.sellable) },
    {
      text: poolColumns.at,
      className: 'wide',
      cell: (row) => <AgeText timeMs={row.checkedAt} />,
    },
  ];
}

interface SafetyTabProps {
  readonly choices: TokenChoices;
  /** Of the token; null if it does not say. */
  readonly decimals: number | null;
}

export function SafetyTab({ choices, decimals }: SafetyTabProps) {
  const { chain, mint } = choices;
  const { value, problem, reload } = useResource<SafetyReply>({
    key: `${chain}:${mint}`,
    load: (signal) => api.getTokenSafety({ chain, mint }, { signal }),
    refreshMs: REFRESH_MS,
  });
  if (value === null) {
    if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
    return <div class="page-space" />;
  }
  return (
    <>
      <p class="soft small">{safety.note}</p>
      {value.warnings.length === 0 && <p>{safety.none}</p>}
      <ul class="warnings">
        {value.warnings.map(({ code, message }) => (
          <li key={`${code}${message}`}>{message}</li>
        ))}
      </ul>
      <DataTable
        label={texts.token.tabs.safety}
        columns={buildFactColumns(decimals)}
        rows={value.facts}
        keyOf={({ code }) => code}
        empty=""
      />
      <DataTable
        label={texts.token.tabs.pools}
        columns={buildPoolColumns(chain)}
        rows={value.pools}
        keyOf={(row) => row.pool}
        empty={texts.token.pools.empty}
      />
    </>
  );
}
