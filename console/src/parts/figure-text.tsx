// A rounded figure with the exact one as its title.

import { formatCompact, formatCompactUsd } from '../format/format-amount.ts';
import { formatUsd } from '../format/format-price.ts';

const FORMATS = { amount: formatCompact, price: formatUsd, usd: formatCompactUsd } as const;

interface FigureTextProps {
  readonly value: string | null;
  readonly as: keyof typeof FORMATS;
}

export function FigureText({ value, as }: FigureTextProps) {
  return <span title={value ?? ''}>{FORMATS[as](value)}</span>;
}

/** A profit or a loss: by colour and sign. */
export function ProfitText({ value }: { value: string | null }) {
  if (value === null) return <span class="soft">–</span>;
  const isLoss = value.startsWith('-');
  const isNone = !/[1-9]/.test(value);
  const text = formatCompactUsd(value);
  return (
    <span class={isNone ? 'soft' : isLoss ? 'down' : 'up'} title={value}>
      {isLoss || isNone ? text : `+${text}`}
    </span>
  );
}
