// Part `grow`: how our own cost changes as tokens and trades grow.

import { benchTokenGrowth } from './grow-tokens.ts';
import { benchTradeGrowth } from './grow-trades.ts';
import type { Row } from './row.ts';

export async function benchGrow(options: { readonly quick: boolean }): Promise<Row[]> {
  return [...(await benchTokenGrowth(options)), ...(await benchTradeGrowth(options))];
}
