// The tabs of a token's page that are loaded when one of them is first chosen.

import type { PoolRow } from '../../api/contract-types.ts';
import { HoldersTab } from './holders-tab.tsx';
import { PoolsTab } from './pools-tab.tsx';
import { SafetyTab } from './safety-tab.tsx';
import type { TokenChoices } from './token-choices.ts';
import { TradersTab } from './traders-tab.tsx';

export interface DetailsTabProps {
  readonly choices: TokenChoices;
  readonly pools: readonly PoolRow[];
  readonly decimals: number | null;
}

export function DetailsTab({ choices, pools, decimals }: DetailsTabProps) {
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
      return null;
  }
}
