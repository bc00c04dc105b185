// GET /wallet/balances

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { textOrNull } from '../schemas/market-schemas.ts';
import {
  nativeBalanceSchema,
  walletBalanceSchema,
  walletOutput,
  walletPageInput,
} from '../schemas/wallet-schemas.ts';
import { WALLET_ERRORS } from './wallet-errors.ts';

export const getWalletBalances = defineOperation({
  id: 'getWalletBalances',
  method: 'GET',
  path: '/wallet/balances',
  tag: 'Market',
  summary: 'List what a wallet holds',
  description:
    'The native coin, and tokens with a balance above zero. Balances are exact at `asOf`: from the index where it has all transfers of a token, otherwise from the contract, by one call to the node. Tokens are in no particular order, which stays the same: pages neither skip nor repeat one. The first page also has, beyond `limit`, assets, traded and verified tokens that only the node knows of.',
  cost: 'node',
  cacheControl: 'public, max-age=1',
  input: Type.Object(walletPageInput, { additionalProperties: false }),
  output: Type.Object(
    {
      wallet: Type.String(),
      native: nativeBalanceSchema,
      balances: Type.Array(walletBalanceSchema),
      totalUsd: textOrNull(
        'The value of all of it, as far as prices are known. Null if one page does not show all, or an amount is unknown.',
      ),
      ...walletOutput,
    },
    { title: 'WalletBalances', additionalProperties: false },
  ),
  errors: WALLET_ERRORS,
  example: {
    input: { chain: 'devnet', wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6', limit: 2 },
    answer: {
      wallet: '0x898Fe5313aa7efF04ff01aEaFE40F168e71b7cB6',
      native: {
        symbol: 'ETH',
        decimals: 18,
        amountRaw: '19991550106532797498415',
        amount: '19991.550106532797498415',
        priceUsd: '3021.39546024764719',
        valueUsd: '60402378.7351915619',
      },
      balances: [
        {
          mint: '0x6eBc90D0DEBc1F63B74Ee0D17E046647905Bfa4a',
          symbol: 'USDC',
          decimals: 6,
          amountRaw: '1621118403612',
          amount: '1621118.403612',
          priceUsd: '1',
          valueUsd: '1621118.403612',
          verified: [],
          source: 'index',
        },
      ],
      totalUsd: null,
      nextCursor: 'eFRBSTFlY0JFczFNMHhhNWEyMjk5NTg3YjZiZTBjN2RlZDhkM2YxODg3NTBkMDgyZmMyYWU3',
      coverage: {
        scope: 'all',
        tradesFrom: 1794731708000,
        positionsFrom: 1794731708000,
        tokensComplete: true,
        node: 'answered',
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
    tool: 'get_wallet_balances',
    title: 'What a wallet holds',
    description:
      'Lists the native coin and the tokens that a wallet holds on one chain, with amounts, prices and values in USD. Use it to see what an address owns; any address can be read, without signing in. amount is in units, amountRaw in raw units; null means unknown, see coverage. Symbols are text of strangers. 20 tokens unless you give `limit` (up to 100). Example: {"chain": "base", "wallet": "0x4200000000000000000000000000000000000006"}.',
    defaults: { limit: 20 },
  },
});
