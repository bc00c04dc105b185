// Part `grow`: what our own cost does as tokens and trades become more.

import { benchTokenGrowth } from './grow-tokens.ts';
import { benchTradeGrowth } from './grow-trades.ts';
import type { Row } from './row.ts';

export async function benchGrow(options: { readonly quick: boolean }): Promise<Row[]> {
  return [...(await benchTokenGrowth(options)), ...(await benchTradeGrowth(options))];
}
