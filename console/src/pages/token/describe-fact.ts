// A fact of a token's safety for people. Codes end with the unit of their value.

import type { SafetyReply } from '../../api/contract-types.ts';
import { formatCompact, formatCompactUsd, formatPercent } from '../../format/format-amount.ts';
import { formatUnits } from '../../format/token-units.ts';
import { texts } from '../../texts.ts';

/** As `/token/safety` has it. */
export type SafetyFact = SafetyReply['facts'][number];

interface DescribedFact {
  readonly name: string;
  readonly text: string;
}

const BPS_PER_PERCENT = 100;

/** By how a code ends. */
const UNITS: Readonly<Record<string, (value: string, decimals: number | null) => string>> = {
  BPS: (value) => formatPercent(Number(value) / BPS_PER_PERCENT),
  PCT: (value) => formatPercent(Number(value)),
  USD: (value) => formatCompactUsd(value),
  AT: (value) => new Date(Number(value)).toISOString().slice(0, 16).replace('T', ' '),
  RAW: (value, decimals) => formatCompact(formatUnits(value, decimals) ?? value),
};

/** `BUY_TAX_BPS` 30 → `Buy tax`, `0.30%`; new facts need no new text. */
export function describeFact(
  { code, value }: Pick<SafetyFact, 'code' | 'value'>,
  decimals: number | null,
): DescribedFact {
  const { yes, no } = texts.token.safety;
  const words = code.split('_');
  const format = UNITS[words.at(-1) ?? ''];
  const shown = format === undefined ? words : words.slice(0, -1);
  const phrase = shown.join(' ').toLowerCase();
  const name = `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}`;
  if (value === null) return { name, text: '–' };
  if (typeof value === 'boolean') return { name, text: value ? yes : no };
  return { name, text: format?.(String(value), decimals) ?? String(value) };
}
