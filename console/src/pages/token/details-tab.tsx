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
}

export function DetailsTab({ feed, choices, pools, decimals }: DetailsTabProps) {
  switch (choices.tab) {
    case 'holders':
      return <HoldersTab choices={choices} />;
    case 'pools':
      return <PoolsTab pools={pools} />;
    case 'safety':
      return <SafetyTab choices={choices} decimals={decimals} />;
    case 'traders':
      return <TradersTab choices={choices} />;
    default:
      return <TradesTab feed={feed} choices={choices} />;
  }
}
