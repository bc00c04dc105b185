// Part `grow`: how our own cost changes as tokens, trades and traders grow.

import { benchTokenGrowth } from './grow-tokens.ts';
import { benchTradeGrowth } from './grow-trades.ts';
import { benchWalletGrowth } from './grow-wallets.ts';
import type { Row } from './row.ts';

export async function benchGrow(options: { readonly quick: boolean }): Promise<Row[]> {
  return [
    ...(await benchTokenGrowth(options)),
    ...(await benchTradeGrowth(options)),
    ...(await benchWalletGrowth(options)),
  ];
}
