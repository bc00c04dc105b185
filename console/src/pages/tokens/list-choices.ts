// What the user chose on the list of tokens: the query of the page, and that of the API.

import type { OperationInput } from '../../../../sdk/src/create-client.ts';
import type { WindowName } from '../../api/contract-types.ts';

/** Those with a tab of their own. */
export const LIST_TABS = [
  'trending',
  'volume',
  'gainers',
  'losers',
  'new',
  'launches',
  'watching',
] as const;
const LIST_SORTS = [...LIST_TABS, 'liquidity', 'marketCap', 'trades'] as const;
export const LIST_WINDOWS = [
  '5m',
  '15m',
  '30m',
  '1h',
  '6h',
  '24h',
] as const satisfies readonly WindowName[];
export const LIQUIDITY_STEPS = ['1000', '10000', '100000', '1000000'] as const;

export type ListSort = (typeof LIST_SORTS)[number];

export interface ListChoices {
  readonly sort: ListSort;
  readonly window: WindowName;
  readonly chain: string | null;
  readonly minLiquidityUsd: string | null;
  readonly isVerified: boolean;
}

const LIST_PAGE_ROWS = 100;

/** What is not among the choices is the default: a link may be old or edited. */
export function parseListChoices(query: URLSearchParams): ListChoices {
  const pick = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === query.get(name));
  return {
    sort: pick('sort', LIST_SORTS) ?? 'trending',
    window: pick('window', LIST_WINDOWS) ?? '24h',
    chain: query.get('chain'),
    minLiquidityUsd: pick('liquidity', LIQUIDITY_STEPS) ?? null,
    isVerified: query.get('verified') === 'true',
  };
}

type AskedSort = NonNullable<OperationInput<'listTokens'>['sort']>;

/** Launches are the newest tokens of any launchpad; what is watched is not a list of the API. */
const SORTS_ASKED = { launches: 'new', watching: 'trending' } as const satisfies Readonly<
  Partial<Record<ListSort, AskedSort>>
>;

function findAskedSort(sort: ListSort): AskedSort {
  return sort === 'launches' || sort === 'watching' ? SORTS_ASKED[sort] : sort;
}

export function buildListInput(choices: ListChoices): OperationInput<'listTokens'> {
  return {
    sort: findAskedSort(choices.sort),
    launchpad: choices.sort === 'launches' ? 'any' : undefined,
    window: choices.window,
    chain: choices.chain === null ? undefined : [choices.chain],
    minLiquidityUsd: choices.minLiquidityUsd ?? undefined,
    verified: choices.isVerified || undefined,
    sparkline: '24h',
    limit: LIST_PAGE_ROWS,
  };
}
