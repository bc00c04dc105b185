// How much of a launchpad's curve is sold: a small bar with its figure.

import type { TokenReply } from '../api/contract-types.ts';
import { formatPercent } from '../format/format-amount.ts';
import { texts } from '../texts.ts';

interface LaunchProgressProps {
  readonly launchpad: NonNullable<TokenReply['launchpad']>;
}

export function LaunchProgress({ launchpad }: LaunchProgressProps) {
  const { venue, progressPct, graduatedAt } = launchpad;
  const { sold, soldShort, graduated } = texts.tokens;
  if (graduatedAt !== null || progressPct === null) {
    return (
      <span class="launch" title={venue}>
        {graduatedAt === null ? venue : graduated}{' '}
      </span>
    );
  }
  return (
    <span class="launch" title={`${venue}: ${sold(formatPercent(progressPct, 1))}`}>
      <span class="launch-track" aria-hidden="true">
        <span style={{ width: `${Math.min(100, progressPct)}%` }} />
      </span>{' '}
      {soldShort(formatPercent(progressPct, 0))}{' '}
    </span>
  );
}
