// A change in per cent: by colour, arrow and sign.

import { formatPercent } from '../format/format-amount.ts';

export function ChangeText({ value }: { value: number | null }) {
  if (value === null) return <span class="soft">–</span>;
  if (value === 0) return <span class="soft">{formatPercent(0)}</span>;
  const isUp = value > 0;
  return (
    <span class={isUp ? 'up' : 'down'}>
      <span aria-hidden="true">{isUp ? '▲' : '▼'}</span> {isUp ? '+' : ''}
      {formatPercent(value)}
    </span>
  );
}
