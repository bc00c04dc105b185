// Schemas of chains.

import Type from 'typebox';
import { BUILT_IN_SLUGS, SLUG_PATTERN } from '../../model/chain.ts';
import { SCOPE_NAMES } from '../../model/scope.ts';

/** Not an enumeration: the operator's file may add chains. */
export const chainSlugSchema = Type.String({
  pattern: SLUG_PATTERN,
  description: 'Slug of a chain, built in or added by the operator; `/chains` lists them.',
  examples: [...BUILT_IN_SLUGS],
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
      {
        symbol: Type.String(),
        decimals: Type.Integer({ minimum: 0 }),
        priceUsd: Type.Union([Type.String(), Type.Null()], {
          description: 'USD per unit by the last trade of its wrapped form that was no outlier.',
        }),
      },
      { additionalProperties: false },
    ),
    explorerUrl: Type.Union([Type.String(), Type.Null()], {
      description:
        'A public explorer of the chain, without a slash at the end; null if none is known.',
    }),
    status: Type.Enum(['ready', 'indexing', 'stalled'], {
      description:
        '`ready`: indexed up to its head. `indexing`: starting or catching up. `stalled`: no progress, which an operator must look into.',
    }),
    progress: Type.Union(
      [
        Type.Object(
          {
            block: Type.Integer({ minimum: 0 }),
            head: Type.Integer({ minimum: 0, description: "The chain's newest block." }),
            pct: Type.Number({ minimum: 0, maximum: 100 }),
            blocksPerSecond: Type.Optional(
              Type.Number({
                minimum: 0,
                description: 'Absent until it was measured for a minute.',
              }),
            ),
            leftMs: Type.Optional(
              Type.Integer({ minimum: 0, description: 'Until the final block, at that rate.' }),
            ),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'While history is indexed: how far, in this run; null otherwise.' },
    ),
    usdAnchor: Type.Union([Type.String(), Type.Null()], {
      description: 'The pool that gives the USD price of the native coin.',
    }),
    slowed: Type.Optional(
      Type.String({
        description:
          "Why the chain is followed more slowly than it could be, such as the operator's daily budget for its nodes, or a rate of theirs that is too low, with the one that would do; absent if it is not.",
      }),
    ),
    rpcUrl: Type.Optional(
      Type.String({ description: 'Where to send transactions; only for embedded chains.' }),
    ),
  },
  { title: 'Chain', additionalProperties: false },
);
