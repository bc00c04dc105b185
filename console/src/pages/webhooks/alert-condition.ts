// The conditions of alerts, as a form has them and as the API does.

import type { AlertRow } from '../../api/contract-types.ts';
import { formatPercent } from '../../format/format-amount.ts';
import { formatUsd } from '../../format/format-price.ts';
import { shortenAddress } from '../../format/shorten-address.ts';
import { lateTexts } from '../../late-texts.ts';

type AlertWhen = AlertRow['when'];
export type AlertWindow = NonNullable<AlertWhen['volumeUsd']>['window'];

export const ALERT_WINDOWS = [
  '5m',
  '15m',
  '1h',
  '6h',
  '24h',
] as const satisfies readonly AlertWindow[];

export type ConditionName = keyof typeof lateTexts.webhooks.alerts.conditions;

/** What is entered with a condition. */
export const CONDITIONS: Readonly<
  Record<ConditionName, { readonly value: 'usd' | 'pct' | 'address'; readonly hasWindow?: true }>
> = {
  above: { value: 'usd' },
  below: { value: 'usd' },
  crosses: { value: 'usd' },
  rise: { value: 'pct', hasWindow: true },
  fall: { value: 'pct', hasWindow: true },
  volume: { value: 'usd', hasWindow: true },
  liquidity: { value: 'usd' },
  drop: { value: 'pct' },
  trade: { value: 'usd' },
  buy: { value: 'usd' },
  sell: { value: 'usd' },
  wallet: { value: 'address' },
  holders: { value: 'pct' },
  pool: { value: 'usd' },
};

interface EnteredCondition {
  readonly name: ConditionName;
  readonly value: string;
  readonly window: AlertWindow;
}

export function buildWhen({ name, value, window }: EnteredCondition): AlertWhen {
  switch (name) {
    case 'above':
    case 'below':
    case 'crosses':
      return { priceUsd: { [name]: value } };
    case 'rise':
      return { changePct: { window, above: Number(value) } };
    case 'fall':
      return { changePct: { window, below: -Number(value) } };
    case 'volume':
      return { volumeUsd: { window, above: value } };
    case 'liquidity':
      return { liquidityUsd: { below: value } };
    case 'drop':
      return { liquidityUsd: { dropPct: Number(value) } };
    case 'trade':
      return { trade: { valueUsdAbove: value } };
    case 'buy':
    case 'sell':
      return { trade: { valueUsdAbove: value, side: name } };
    case 'wallet':
      return { wallet: { address: value } };
    case 'holders':
      return { holdersTop10Pct: { above: Number(value) } };
    case 'pool':
      return { newPool: { minLiquidityUsd: value } };
  }
}

/** The other way round. A change may be asked for in ways that the form does not have. */
function findCondition(when: AlertWhen): Omit<EnteredCondition, 'window'> & {
  readonly window?: AlertWindow;
} {
  const { priceUsd, changePct, volumeUsd, liquidityUsd, trade, wallet, newPool } = when;
  const { holdersTop10Pct: holders } = when;
  if (priceUsd !== undefined) {
    const name = (['above', 'below', 'crosses'] as const).find((each) => priceUsd[each]);
    return { name: name ?? 'crosses', value: priceUsd[name ?? 'crosses'] ?? '' };
  }
  if (changePct !== undefined) {
    const { window, above, below } = changePct;
    if (above !== undefined) return { name: 'rise', value: String(above), window };
    return { name: 'fall', value: String(-(below ?? 0)), window };
  }
  if (volumeUsd !== undefined) {
    return { name: 'volume', value: volumeUsd.above, window: volumeUsd.window };
  }
  if (liquidityUsd?.below !== undefined) return { name: 'liquidity', value: liquidityUsd.below };
  if (liquidityUsd !== undefined) return { name: 'drop', value: String(liquidityUsd.dropPct) };
  if (trade !== undefined) return { name: trade.side ?? 'trade', value: trade.valueUsdAbove };
  if (wallet !== undefined) return { name: 'wallet', value: wallet.address };
  if (holders !== undefined) return { name: 'holders', value: String(holders.above) };
  return { name: 'pool', value: newPool?.minLiquidityUsd ?? '' };
}

/** `the price rises above $1.50`. */
export function describeWhen(when: AlertWhen): string {
  const { conditions, within } = lateTexts.webhooks.alerts;
  const { name, value, window } = findCondition(when);
  const shown = {
    usd: formatUsd,
    pct: (text: string) => formatPercent(Number(text)),
    address: shortenAddress,
  }[CONDITIONS[name].value](value);
  return [conditions[name], shown, ...(window === undefined ? [] : [within(window)])].join(' ');
}

/** What fired last: a price or value in USD, or per cent. */
export function describeFired(when: AlertWhen, value: string): string {
  const { name } = findCondition(when);
  return CONDITIONS[name].value === 'pct' && name !== 'drop'
    ? formatPercent(Number(value))
    : formatUsd(value);
}
