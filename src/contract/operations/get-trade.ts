// GET /trade

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { asOfSchema } from '../schemas/market-schemas.ts';
import { walletTradeSchema } from '../schemas/wallet-schemas.ts';

export const getTrade = defineOperation({
  id: 'getTrade',
  method: 'GET',
  path: '/trade',
  tag: 'Market',
  summary: 'Get a trade',
  description:
    "One trade by its `id`, which lists, streams and the `tradeIds` of a transaction's status have, with the token that it is of. The chain's node says in which block its transaction is, so a transaction that the node no longer has is not found.",
  cost: 'node',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      id: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "`chain:txHash:index`: the trade's `id`.",
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { ...walletTradeSchema.properties, asOf: asOfSchema },
    { title: 'TradeOfToken', additionalProperties: false },
  ),
  errors: ['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'NOT_READY', 'TOKEN_PAUSED', 'TRADE_NOT_FOUND'],
});
