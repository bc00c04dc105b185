// GET /wallet/trades

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { endTimeInput, mintInput, startTimeInput } from '../schemas/market-schemas.ts';
import { walletOutput, walletPageInput, walletTradeSchema } from '../schemas/wallet-schemas.ts';
import { WALLET_ERRORS } from './wallet-errors.ts';

export const getWalletTrades = defineOperation({
  id: 'getWalletTrades',
  method: 'GET',
  path: '/wallet/trades',
  tag: 'Market',
  summary: 'List trades of a wallet',
  description:
    'Trades of one chain in transactions that the wallet sent, newest first; for several chains ask each and merge by `timestamp`. Pages neither skip nor repeat a trade while new ones arrive. With `mint` a page may be short or empty and have a `nextCursor`: continue until it is null. At most 100 rows without credentials, 500 with.',
  cost: 'read',
  costBy: 'rows',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      ...walletPageInput,
      mint: Type.Optional(mintInput),
      limit: Type.Integer({ minimum: 1, default: 100 }),
      startTime: startTimeInput,
      endTime: endTimeInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { trades: Type.Array(walletTradeSchema), ...walletOutput },
    { title: 'WalletTrades', additionalProperties: false },
  ),
  errors: WALLET_ERRORS,
  example: {
    input: { chain: 'devnet', wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6', limit: 1 },
    answer: {
      trades: [
        {
          token: {
            chain: 'devnet',
            mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
            symbol: 'WIRE',
            decimals: 18,
          },
          id: 'devnet:0x8a015094150a05586235923e40e2531efc023c36056d1fe36f620a861dafa9ad:0',
          txHash: '0x8a015094150a05586235923e40e2531efc023c36056d1fe36f620a861dafa9ad',
          block: 80,
          index: 0,
          timestamp: 1794818222000,
          side: 'buy',
          wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6',
          venue: 'uniswap-v3',
          pool: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
          amountRaw: '3978799193552085240409',
          amount: '3978.799193552085240409',
          quote: {
            mint: '0xE95794607E5C70D60A57c0A322824d73b8F913e8',
            symbol: 'WETH',
            decimals: 18,
            amountRaw: '563945200000000000',
            amount: '0.5639452',
          },
          priceNative: '0.000141737537524867191',
          priceUsd: '0.424994716779375784',
          valueNative: '0.5639452',
          valueUsd: '1690.96863638567724',
          outlier: false,
          finality: 'confirmed',
        },
      ],
      nextCursor:
        'aW9GOXNuQmxqVDhaMTc5NDgxODIyMjAwMCA4MCAzIDB4YTVhMjI5OTU4N2I2YmUwYzdkZWQ4ZDNmMTg4NzUwZDA4MmZjMmFlNw',
      coverage: {
        scope: 'all',
        tradesFrom: 1794731708000,
        positionsFrom: 1794731708000,
        tokensComplete: true,
        node: null,
      },
      asOf: {
        block: 90,
        blockHash: '0x7ea81cb50b1e11bca0ce1dc62bb4eae599cf6f9c797dcc2c4db5a7ee49854ada',
        timestamp: 1794818233000,
        finalizedBlock: 25,
      },
    },
  },
});
