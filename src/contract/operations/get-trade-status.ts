// GET /trade/status

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainInput } from '../schemas/market-schemas.ts';

export const getTradeStatus = defineOperation({
  id: 'getTradeStatus',
  method: 'GET',
  path: '/trade/status',
  tag: 'Trading',
  summary: 'Get the status of a transaction',
  description:
    'Check this before you send anything again. `unknown`: no node knows the transaction; it was never sent, or was dropped. `pending`: it waits to be mined. `confirmed` and `reverted`: it is in `block`, which a reorganisation may still remove. `finalized`: a reorganisation can no longer remove it. `tradeIds` are the trades indexed from it: empty until a moment after it is confirmed.',
  cost: 'read',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      chain: chainInput,
      txHash: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The id of the transaction: on EVM chains its hash, `0x` and 64 hex digits.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      status: Type.Enum(['unknown', 'pending', 'confirmed', 'finalized', 'reverted']),
      block: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'The block it was mined in.',
      }),
      tradeIds: Type.Array(Type.String(), {
        description: 'The same ids as in `/token/trades` and on the stream.',
      }),
    },
    { title: 'TradeStatus', additionalProperties: false },
  ),
  errors: ['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'NOT_READY'],
  example: {
    input: {
      chain: 'devnet',
      txHash: '0xd5ae89cee0fc49d0aefa3902138d13e3d7ad05a22883e59badd7f29b58f87d1e',
    },
    answer: {
      status: 'confirmed',
      block: 82,
      tradeIds: ['devnet:0xfced9479766c84575633c39e9ee30581abd30bd63cf7ea143e9a756fcee523f6:0'],
    },
  },
  mcp: {
    tool: 'get_trade_status',
    title: 'Status of a transaction',
    description:
      'Gets whether a transaction is unknown, pending, confirmed, finalized or reverted, in which block, and which trades were indexed from it. Use it after a user has sent a transaction, and always before anything is sent again: one that seems lost may be mined a minute later. Example: {"chain": "base", "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe340394d21"}.',
  },
});
