// POST /trade/quote

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { quoteSchema, tradeInputFields } from '../schemas/trade-schemas.ts';
import { TRADE_ERRORS } from './trade-errors.ts';

export const quoteTrade = defineOperation({
  id: 'quoteTrade',
  method: 'POST',
  path: '/trade/quote',
  tag: 'Trading',
  summary: 'Get a quote for a trade',
  description:
    'Finds the best route over every pool that this server follows, priced on the last indexed block: direct, through up to two other tokens, and split among several routes where that pays more. Nothing is executed or reserved. `exact: true` promises that the same trade, executed on that state, pays `output.amountRaw` to the last unit. It does not promise the best price there is: a pool that this server does not know, or does not compute, may pay more.',
  cost: 'quote',
  cacheControl: 'no-store',
  input: Type.Object(tradeInputFields, { additionalProperties: false }),
  output: quoteSchema,
  errors: [...TRADE_ERRORS],
  mcp: {
    tool: 'get_quote',
    title: 'Quote a trade',
    description:
      'Prices a trade on the last indexed block: the amount received, the minimum after slippage (output.minAmountRaw), route, fees, network cost, safety, warnings. If exact is false or tokenSafety is null, the figures are estimates; repeat every warning. Use it before a trade. Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "side": "buy", "amountInRaw": "1000000"}.',
  },
});
