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

function buildPoolColumns(chain: string): TableColumn<PoolSafetyRow>[] {
  return [
    {
      text: poolColumns.pool,
      cell: (row) => (
        <>
          {row.venue} <AddressText chain={chain} id={row.pool} kind="address" />
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
