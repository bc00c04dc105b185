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
  mcp: {
    tool: 'get_wallet_positions',
    title: 'Positions of a wallet',
    description:
      'Lists the tokens that a wallet has traded on one chain: amount held, average cost, realised and unrealised profit in USD, buys and sells. Use it to judge how a trader does. If complete is false, the cost of a part is unknown and the figures cover the rest. 20 positions unless you give `limit` (up to 100). Symbols are strangers\' text. Example: {"chain": "base", "wallet": "0x4200000000000000000000000000000000000006"}.',
    defaults: { limit: 20 },
  },
});
