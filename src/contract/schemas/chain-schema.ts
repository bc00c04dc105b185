// Schemas of chains.

import Type from 'typebox';
import { CHAIN_SLUGS } from '../../model/chain.ts';
import { SCOPE_NAMES } from '../../model/scope.ts';

export const chainSlugSchema = Type.Enum([...CHAIN_SLUGS], {
  description: 'Slug of a chain.',
});

export const chainSchema = Type.Object(
  {
    slug: chainSlugSchema,
    caip2: Type.String({ description: 'CAIP-2 identifier, accepted wherever a slug is.' }),
    name: Type.String(),
    head: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Highest indexed block; null before the first.',
    }),
    finalized: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Highest block that can no longer be reorganised.',
    }),
    lagMs: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description:
        'How much older the highest indexed block is than the newest block of the chain.',
    }),
    scope: Type.Enum([...SCOPE_NAMES], {
      description:
        'Which tokens are indexed: `all`; `liquid`, those that have had a pool of some worth; `watch`, those that the operator names.',
    }),
    venues: Type.Array(Type.String(), { description: 'Exchanges indexed on this chain.' }),
    native: Type.Object(
      { symbol: Type.String(), decimals: Type.Integer({ minimum: 0 }) },
      { additionalProperties: false },
    ),
    usdAnchor: Type.Union([Type.String(), Type.Null()], {
      description: 'The pool that gives the USD price of the native coin.',
    }),
    slowed: Type.Optional(
      Type.String({
        description:
          "Why the chain is followed more slowly than it could be, such as the operator's daily budget for its nodes; absent if it is not.",
      }),
    ),
    rpcUrl: Type.Optional(
      Type.String({ description: 'Where to send transactions; only for the devnet.' }),
    ),
  },
  { title: 'Chain', additionalProperties: false },
);
