// GET /entitlements

import { defineOperation } from '../operation.ts';
import { entitlementsSchema } from '../schemas/access-schemas.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getEntitlements = defineOperation({
  id: 'getEntitlements',
  method: 'GET',
  path: '/entitlements',
  tag: 'Account',
  summary: 'Get the limits of the caller',
  description:
    'The tier that the credentials of this request give, its budget, what each kind of request costs, the maximum rows of its reads, and the chains it can read.',
  cost: 'read',
  cacheControl: 'private, no-store',
  input: emptyInput,
  output: entitlementsSchema,
  example: {
    input: {},
    answer: {
      level: 'anonymous',
      tier: 'anonymous',
      budget: {
        perMinute: 120,
        burst: 60,
        costs: {
          read: 1,
          search: 2,
          image: 0.1,
          node: 5,
          quote: 5,
          build: 10,
          challenge: 5,
          lookup: 10,
        },
        evaluationsPerUnit: 50_000,
        ...{ rowsIncluded: 100, rowsPerUnit: 500, tokensPerUnit: 30 },
      },
      limits: {
        ...{ streams: 4, trades: 100, holders: 100, klines: 1000, prices: 30 },
        ...{ streamTokens: 10, lookups: 12 },
      },
      chains: ['devnet'],
    },
  },
  mcp: {
    tool: 'get_entitlements',
    title: 'Limits of this connection',
    description:
      'Gets the limits of this connection: tier, requests per minute and burst, what each kind of request costs, rows of each list. Use it before many calls, or after RATE_LIMITED. Example: {}.',
  },
});
