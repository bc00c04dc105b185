// GET /token/logo

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainInput, mintInput } from '../schemas/market-schemas.ts';

export const getTokenLogo = defineOperation({
  id: 'getTokenLogo',
  method: 'GET',
  path: '/token/logo',
  tag: 'Market',
  summary: 'Get the logo of a token',
  description:
    "The image that one of the operator's token lists names for the token, as PNG, JPEG, WebP or GIF of at most 512 KiB. It is fetched once and then served from here. `logoUrl` of a token is the URL of this operation, or null where no list names a logo that can be served.",
  cost: 'image',
  cacheControl: 'public, max-age=3600',
  mediaType: 'image/*',
  input: Type.Object({ chain: chainInput, mint: mintInput }, { additionalProperties: false }),
  output: Type.String({ description: 'The bytes of the image.', format: 'binary' }),
  errors: [
    'UNKNOWN_CHAIN',
    'CHAIN_NOT_FOLLOWED',
    'INVALID_ADDRESS',
    'TOKEN_PAUSED',
    'LOGO_NOT_FOUND',
    'UPSTREAM_UNAVAILABLE',
  ],
});
