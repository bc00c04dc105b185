// The wallets with the highest profit from a token.

import { api } from '../../api/api-client.ts';
import type { TradersReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatCount } from '../../format/format-amount.ts';
import { estimateUsd } from '../../format/token-units.ts';
import { AddressText } from '../../parts/address-text.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FigureText, ProfitText } from '../../parts/figure-text.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';
import type { TokenChoices } from './token-choices.ts';

const WINDOWS = ['24h', '7d', '30d', 'all'] as const;
const REFRESH_MS = 60_000;

type TraderRow = TradersReply['traders'][number];

const { columns, empty } = texts.token.traders;

function buildTraderColumns(chain: string, priceUsd: string | null): TableColumn<TraderRow>[] {
  return [
    { text: columns.rank, className: 'number', cell: (row) => row.rank },
    {
      text: columns.wallet,
      cell: (row) => <AddressText chain={chain} id={row.wallet} kind="address" />,
    },
    {
      text: columns.volume,
      className: 'number',
      cell: (row) => <FigureText value={row.volumeUsd} as="usd" />,
    },
    {
      text: columns.realised,
      className: 'number',
      cell: (row) => <ProfitText value={row.realisedUsd} />,
    },
    {
      text: columns.unrealised,
      className: 'number wide',
      cell: (row) => <ProfitText value={row.unrealisedUsd} />,
    },
    {
      text: columns.held,
      className: 'number wide',
      cell: (row) => <FigureText value={estimateUsd(row.amount, priceUsd)} as="usd" />,
    },
    { text: columns.buys, className: 'number wide', cell: (row) => formatCount(row.buys) },
    { text: columns.sells, className: 'number wide', cell: (row) => formatCount(row.sells) },
  ];
}

interface TradersTabProps {
  readonly choices: TokenChoices;
  /** Of the token, now. */
  readonly priceUsd: string | null;
}

export function TradersTab({ choices, priceUsd }: TradersTabProps) {
  const { chain, mint } = choices;
  const asked = currentLocation.value.query.get('window');
  const window = WINDOWS.find((each) => each === asked) ?? '24h';
  const { value, problem, reload } = useResource<TradersReply>({
    key: `${chain}:${mint}:${window}`,
    load: (signal) => api.getTraders({ chain, mint, window }, { signal }),
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <ChoiceGroup
        label={texts.token.traders.window}
        choices={WINDOWS.map((value) => ({ value, text: value }))}
        chosen={window}
        onChoose={(next) => setQuery({ window: next === '24h' ? null : next })}
      />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <DataTable
        label={texts.token.tabs.traders}
        columns={buildTraderColumns(chain, priceUsd)}
        rows={value?.traders ?? null}
        keyOf={(row) => row.wallet}
        empty={empty}
      />
    </>
  );
}
