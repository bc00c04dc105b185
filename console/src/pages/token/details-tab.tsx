// The tabs of a token's page, loaded after its head and chart.

import type { PoolRow } from '../../api/contract-types.ts';
import { HoldersTab } from './holders-tab.tsx';
import { PoolsTab } from './pools-tab.tsx';
import { SafetyTab } from './safety-tab.tsx';
import type { TokenChoices } from './token-choices.ts';
import type { TokenFeed } from './token-feed.ts';
import { TradersTab } from './traders-tab.tsx';
import { TradesTab } from './trades-tab.tsx';

export interface DetailsTabProps {
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
  readonly pools: readonly PoolRow[];
  readonly decimals: number | null;
  /** Now. */
  readonly priceUsd: string | null;
}

export function DetailsTab({ feed, choices, pools, decimals, priceUsd }: DetailsTabProps) {
  switch (choices.tab) {
    case 'holders':
      return <HoldersTab choices={choices} priceUsd={priceUsd} />;
    case 'pools':
      return <PoolsTab choices={choices} pools={pools} />;
    case 'safety':
      return <SafetyTab choices={choices} decimals={decimals} />;
    case 'traders':
      return <TradersTab choices={choices} priceUsd={priceUsd} />;
    default:
      return <TradesTab feed={feed} choices={choices} />;
  }
}
