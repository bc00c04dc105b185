// Who holds a token, and how much the largest hold together.

import { api } from '../../api/api-client.ts';
import type { HoldersReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatPercent } from '../../format/format-amount.ts';
import { estimateUsd } from '../../format/token-units.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { CheckField } from '../../parts/choice-fields.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FigureText } from '../../parts/figure-text.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import type { TokenChoices } from './token-choices.ts';

const REFRESH_MS = 30_000;
const ROWS = 50;
const PICTURED = 10;
const NOT_WALLETS = ['pool', 'burn', 'contract'] as const;

type HolderRow = HoldersReply['holders'][number];

/**
 * The supply as a bar: the ten largest each, and all others. Its room is there before the answer,
 * so that the table below does not move.
 */
function ConcentrationBar({ reply }: { readonly reply: HoldersReply | null }) {
  const { holders = [], top10Pct = null } = reply ?? {};
  const largest = holders.slice(0, PICTURED).filter(({ pct }) => pct !== null);
  const label = texts.token.holders.picture(formatPercent(top10Pct, 1));
  return (
    <figure class={reply === null ? 'concentration-room' : 'concentration'}>
      <div class="stack" role="img" aria-label={label}>
        {largest.map(({ owner, pct }, at) => (
          <span
            key={owner}
            class={`share share-${at % 2}`}
            style={{ width: `${Math.min(100, pct ?? 0)}%` }}
            title={`${owner} ${formatPercent(pct)}`}
          />
        ))}
      </div>
      <figcaption class="soft">{label}</figcaption>
    </figure>
  );
}

const { columns, kinds, empty, exclude: excludeLabel, incomplete } = texts.token.holders;

function buildHolderColumns(chain: string, priceUsd: string | null): TableColumn<HolderRow>[] {
  return [
    { text: columns.rank, className: 'number', cell: (row) => row.rank },
    {
      text: columns.owner,
      cell: (row) => <AddressText chain={chain} id={row.owner} kind="address" />,
    },
    {
      text: columns.kind,
      className: 'wide',
      cell: (row) => (row.kind === null ? '–' : kinds[row.kind]),
    },
    {
      text: columns.amount,
      className: 'number wide',
      cell: (row) => <FigureText value={row.amount} as="amount" />,
    },
    {
      text: columns.value,
      className: 'number',
      cell: (row) => <FigureText value={estimateUsd(row.amount, priceUsd)} as="usd" />,
    },
    { text: columns.share, className: 'number', cell: (row) => formatPercent(row.pct) },
  ];
}

interface HoldersTabProps {
  readonly choices: TokenChoices;
  /** Of the token, now. */
  readonly priceUsd: string | null;
}

export function HoldersTab({ choices, priceUsd }: HoldersTabProps) {
  const { chain, mint } = choices;
  const isExcluding = currentLocation.value.query.get('holders') === 'wallets';
  const { value, problem, reload } = useResource<HoldersReply>({
    key: `${chain}:${mint}:${isExcluding}`,
    load: (signal) => {
      const exclude = isExcluding ? NOT_WALLETS : undefined;
      return api.getHolders({ chain, mint, exclude, limit: ROWS }, { signal });
    },
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <div class="bar">
        <CheckField
          label={excludeLabel}
          isOn={isExcluding}
          onChange={(isOn) => setQuery({ holders: isOn ? 'wallets' : null })}
        />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {(value !== null || problem === null) && <ConcentrationBar reply={value} />}
      <DataTable
        label={texts.token.tabs.holders}
        columns={buildHolderColumns(chain, priceUsd)}
        rows={value?.holders ?? null}
        keyOf={(row) => row.owner}
        empty={empty}
      />
      {value !== null && !value.coverage.holdersComplete && <p class="soft small">{incomplete}</p>}
    </>
  );
}
