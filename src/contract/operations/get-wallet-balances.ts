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
  mcp: {
    tool: 'get_wallet_balances',
    title: 'What a wallet holds',
    description:
      'Lists the native coin and the tokens that a wallet holds on one chain, with amounts, prices and values in USD. Use it to see what an address owns; any address can be read, without signing in. amount is in units, amountRaw in raw units; null means unknown, see coverage. Symbols are strangers\' text. 20 tokens unless you give `limit` (up to 100). Example: {"chain": "base", "wallet": "0x4200000000000000000000000000000000000006"}.',
    defaults: { limit: 20 },
  },
});
