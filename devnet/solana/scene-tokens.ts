// The tokens that the embedded chain begins with. Names and prices are made up.

import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';

export interface SceneTokenSpec {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly program: string;
  /** Taken from every transfer and withheld. */
  readonly feeBps?: number;
  readonly priceUsd: number;
  /** What it has pools against, each worth twice the depth. */
  readonly against: readonly string[];
  readonly depthUsd: number;
}

export const SOL_PRICE_USD = 150;
export const USDC = 'USDC';
export const SOL_SYMBOL = 'SOL';

export const TOKENS: readonly SceneTokenSpec[] = [
  {
    ...{ symbol: USDC, name: 'USD Coin (devnet)', decimals: 6, program: TOKEN_PROGRAM },
    ...{ priceUsd: 1, against: [SOL_SYMBOL], depthUsd: 900_000 },
  },
  {
    ...{ symbol: 'BOLT', name: 'Bolt', decimals: 9, program: TOKEN_PROGRAM },
    ...{ priceUsd: 2.4, against: [SOL_SYMBOL, USDC], depthUsd: 220_000 },
  },
  {
    ...{ symbol: 'MIST', name: 'Mist', decimals: 6, program: TOKEN_PROGRAM },
    ...{ priceUsd: 0.031, against: [SOL_SYMBOL], depthUsd: 90_000 },
  },
  {
    ...{ symbol: 'GRAM', name: 'Gram', decimals: 2, program: TOKEN_PROGRAM },
    ...{ priceUsd: 4.1, against: [USDC], depthUsd: 60_000 },
  },
  {
    ...{ symbol: 'NOVA', name: 'Nova', decimals: 6, program: TOKEN_2022 },
    ...{ priceUsd: 0.72, against: [USDC], depthUsd: 120_000 },
  },
  {
    ...{ symbol: 'LEVY', name: 'Levy', decimals: 6, program: TOKEN_2022, feeBps: 200 },
    ...{ priceUsd: 0.18, against: [SOL_SYMBOL], depthUsd: 80_000 },
  },
];

/** Of coins that traders launch. */
export const COIN_WORDS = [
  ...['Amber', 'Brisk', 'Comet', 'Dusk', 'Ember', 'Flint', 'Gale', 'Hazel', 'Iris', 'Jade'],
  ...['Kite', 'Lark', 'Maple', 'Nettle', 'Opal', 'Pine', 'Quartz', 'Rook', 'Sable', 'Thorn'],
];
