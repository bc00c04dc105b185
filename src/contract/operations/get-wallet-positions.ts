// GET /wallet/positions

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { positionSchema, walletOutput, walletPageInput } from '../schemas/wallet-schemas.ts';
import { WALLET_ERRORS } from './wallet-errors.ts';

export const getWalletPositions = defineOperation({
  id: 'getWalletPositions',
  method: 'GET',
  path: '/wallet/positions',
  tag: 'Market',
  summary: 'List positions of a wallet',
  description:
    'For each token that the wallet has traded, what it cost on average, what its sales brought and what the rest is worth. What came in without a trade has an unknown cost and makes the position incomplete (`complete: false`). Tokens are in no particular order, which stays the same.',
  cost: 'node',
  cacheControl: 'public, max-age=1',
  input: Type.Object(walletPageInput, { additionalProperties: false }),
  output: Type.Object(
    { wallet: Type.String(), positions: Type.Array(positionSchema), ...walletOutput },
    { title: 'WalletPositions', additionalProperties: false },
  ),
  errors: WALLET_ERRORS,
  example: {
    input: { chain: 'devnet', wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6', limit: 1 },
    answer: {
      wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6',
      positions: [
        {
          mint: '0xE95794607E5C70D60A57c0A322824d73b8F913e8',
          symbol: 'WETH',
          decimals: 18,
          amountRaw: '0',
          amount: '0',
          averageCostUsd: null,
          costBasisUsd: '0',
          unrealisedUsd: '0',
          realisedUsd: '0',
          volumeUsd: '40466.141586',
          buys: 1,
          sells: 2,
          firstTradeAt: 1794733763000,
          lastTradeAt: 1794761773000,
          complete: false,
        },
      ],
      nextCursor: 'UlBpTkpNcXh0dTFrMHhlOTU3OTQ2MDdlNWM3MGQ2MGE1N2MwYTMyMjgyNGQ3M2I4ZjkxM2U4',
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
  mcp: {
    tool: 'get_wallet_positions',
    title: 'Positions of a wallet',
    description:
      'Lists the tokens that a wallet has traded on one chain: amount held, average cost, realised and unrealised profit in USD, buys and sells. Use it to judge how a trader does. If complete is false, the cost of a part is unknown and the figures cover the rest. 20 positions unless you give `limit` (up to 100). Symbols are text of strangers. Example: {"chain": "base", "wallet": "0x4200000000000000000000000000000000000006"}.',
    defaults: { limit: 20 },
  },
});
