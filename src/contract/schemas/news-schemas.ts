// Events of a chain's news.

import Type from 'typebox';
import { chainSchema, chainSlugSchema } from './chain-schema.ts';
import { asOfSchema, poolFields, tokenSummarySchema } from './market-schemas.ts';

const chainFields = {
  chain: chainSlugSchema,
  head: chainSchema.properties.head,
  finalized: chainSchema.properties.finalized,
  lagMs: chainSchema.properties.lagMs,
};

export const newsSnapshotSchema = Type.Object(
  { ...chainFields, asOf: asOfSchema },
  {
    title: 'StreamNewsSnapshot',
    additionalProperties: false,
    description: "The first event of every new connection to a chain's news.",
  },
);

export const chainEventSchema = Type.Object(chainFields, {
  title: 'StreamChain',
  additionalProperties: false,
  description: 'As in `/chains`. Sent when one of the fields changed, at most once a second.',
});

const when = {
  block: Type.Integer({
    minimum: 0,
    description: 'The block that brought it; for what is older than the index, where it was seen.',
  }),
  timestamp: Type.Integer({ description: 'The time of that block, in Unix milliseconds.' }),
};

export const tokenEventSchema = Type.Object(
  { ...tokenSummarySchema.properties, ...when },
  {
    title: 'StreamToken',
    additionalProperties: false,
    description: 'The index has seen this token for the first time.',
  },
);

const mint = Type.String({ description: 'The token that the pool prices.' });

export const poolEventSchema = Type.Object(
  { ...poolFields, mint, ...when },
  {
    title: 'StreamPool',
    additionalProperties: false,
    description: 'A new pool, as `/pools` has it when the event is sent.',
  },
);

const launchFields = {
  chain: chainSlugSchema,
  mint,
  pool: Type.String({ description: 'The curve that sells it.' }),
  venue: Type.String(),
  ...when,
};

export const launchEventSchema = Type.Object(launchFields, {
  title: 'StreamLaunch',
  additionalProperties: false,
  description: 'A launchpad has begun to sell a token.',
});

export const graduationEventSchema = Type.Object(launchFields, {
  title: 'StreamGraduation',
  additionalProperties: false,
  description: 'A launchpad has sold all that it had of a token.',
});

export const removedNewsSchema = Type.Array(
  Type.Object(
    {
      event: Type.Enum(['pool', 'token', 'launch', 'graduation']),
      address: Type.String({ description: 'Of the token, or of the pool.' }),
    },
    { additionalProperties: false },
  ),
  {
    description:
      "Discard these, in streams of a chain's news; the new branch may bring some of them again.",
  },
);
