// The pools of a token, each with its depth on demand.

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { PoolReply, PoolRow } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { formatCompactUsd, formatPercent } from '../../format/format-amount.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import type { TokenChoices } from './token-choices.ts';

const REFRESH_MS = 30_000;
const PIPS_PER_PERCENT = 10_000;

type DepthRow = NonNullable<PoolReply['depth']>[number];

function DepthBars({ depth }: { depth: readonly DepthRow[] }) {
  const largest = Math.max(
    ...depth.flatMap(({ bidUsd, askUsd }) => [Number(bidUsd ?? 0), Number(askUsd ?? 0)]),
    1,
  );
  const widthOf = (usd: string | null) => ({ width: `${(Number(usd ?? 0) / largest) * 100}%` });
  const { pools } = texts.token;
  return (
    <table class="depth">
      <caption class="hidden">{pools.columns.depth}</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            {pools.bids}
          </th>
          <th scope="col" class="number">
            %
          </th>
          <th scope="col">{pools.asks}</th>
        </tr>
      </thead>
      <tbody>
        {depth.map(({ pct, bidUsd, askUsd }) => (
          <tr key={pct}>
            <td>
              <span class="depth-side bid">
                <span class="depth-track">
                  <span class="depth-bar" style={widthOf(bidUsd)} />
                </span>
                <span title={bidUsd ?? ''}>{formatCompactUsd(bidUsd)}</span>
              </span>
            </td>
            <th scope="row" class="number">
              {formatPercent(pct, 1)}
            </th>
            <td>
              <span class="depth-side ask">
                <span title={askUsd ?? ''}>{formatCompactUsd(askUsd)}</span>
                <span class="depth-track">
                  <span class="depth-bar" style={widthOf(askUsd)} />
                </span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PoolDepth({ chain, pool }: { chain: string; pool: string }) {
  const { value, problem, reload } = useResource<PoolReply>({
    key: `${chain}:${pool}`,
    load: (signal) => api.getPool({ chain, pool }, { signal }),
    refreshMs: REFRESH_MS,
  });
  if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
  if (value === null) return <div class="depth-space" />;
  if (value.depth === null) return <p class="soft">{texts.token.pools.unknown}</p>;
  return <DepthBars depth={value.depth} />;
}

interface PoolLineProps {
  readonly row: PoolRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function PoolLine({ row, isOpen, onToggle }: PoolLineProps) {
  return (
    <tr>
      <td>
        {row.venue} <AddressText chain={row.chain} id={row.address} kind="address" />
      </td>
      <td class="line wide">
        {row.base.symbol ?? '?'}/{row.quote.symbol ?? '?'}
      </td>
      <td class="number wide">
        {formatPercent(row.feePips === null ? null : row.feePips / PIPS_PER_PERCENT)}
      </td>
      <td class="number" title={row.liquidityUsd ?? ''}>
        {formatCompactUsd(row.liquidityUsd)}
      </td>
      <td class="number wide" title={row.volume24hUsd ?? ''}>
        {formatCompactUsd(row.volume24hUsd)}
      </td>
      <td class="number">
        <button type="button" class="quiet fold" aria-expanded={isOpen} onClick={onToggle}>
          {texts.token.pools.show}
          <span class="hidden"> {texts.token.pools.columns.depth}</span>{' '}
          <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
        </button>
      </td>
    </tr>
  );
}

const SORTS = ['liquidity', 'trending', 'trades'] as const;
type PoolSort = (typeof SORTS)[number];
const POOLS_READ = 20;

interface PoolsTabProps {
  readonly choices: Pick<TokenChoices, 'chain' | 'mint'>;
  /** The deepest. */
  readonly pools: readonly PoolRow[];
}

/** The deepest pools, or those that are traded in most. */
export function PoolsTab({ choices: { chain, mint }, pools }: PoolsTabProps) {
  const [sort, setSort] = useState<PoolSort>('liquidity');
  const { sorts, sort: label } = texts.token.pools;
  const { value, problem, reload } = useResource({
    key: sort === 'liquidity' ? null : `${chain}:${mint}:${sort}`,
    load: (signal) => api.listPools({ chain: [chain], mint, sort, limit: POOLS_READ }, { signal }),
    refreshMs: REFRESH_MS,
  });
  const listed = sort === 'liquidity' ? pools : value?.pools;
  return (
    <>
      <div class="bar">
        <ChoiceGroup
          label={label}
          choices={SORTS.map((each) => ({ value: each, text: sorts[each] }))}
          chosen={sort}
          onChoose={setSort}
        />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {listed !== undefined && <PoolTable key={sort} pools={listed} />}
    </>
  );
}

function PoolTable({ pools }: { pools: readonly PoolRow[] }) {
  const [open, setOpen] = useState<string | null>(pools[0]?.address ?? null);
  const { columns, empty } = texts.token.pools;
  if (pools.length === 0) return <p class="note">{empty}</p>;
  return (
    <table class="plain">
      <caption class="hidden">{texts.token.tabs.pools}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.venue}</th>
          <th scope="col" class="wide">
            {columns.pair}
          </th>
          <th scope="col" class="number wide">
            {columns.fee}
          </th>
          <th scope="col" class="number">
            {columns.liquidity}
          </th>
          <th scope="col" class="number wide">
            {columns.volume}
          </th>
          <th scope="col" class="number">
            {columns.depth}
          </th>
        </tr>
      </thead>
      <tbody>
        {pools.map((row) => (
          <Fragment key={row.address}>
            <PoolLine
              row={row}
              isOpen={row.address === open}
              onToggle={() => setOpen(row.address === open ? null : row.address)}
            />
            {row.address === open && (
              <tr>
                <td colSpan={6}>
                  <PoolDepth chain={row.chain} pool={row.address} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
