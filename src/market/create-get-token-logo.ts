// Answers GET /token/logo.

import type { InputOf } from '../contract/operation.ts';
import type { getTokenLogo } from '../contract/operations/get-token-logo.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { AppError } from '../errors/app-error.ts';
import { computeEtag } from './answer-cache.ts';
import type { MarketParts } from './market-parts.ts';
import { parseToken } from './parse-token.ts';

/** Needs neither the store nor the chain: lists alone say where logos are. */
export function createGetTokenLogo(
  parts: Pick<MarketParts, 'chains' | 'pauses' | 'lists' | 'logos'>,
) {
  return async (input: InputOf<typeof getTokenLogo>): Promise<ReadyAnswer> => {
    const { chain, token, addresses } = parseToken(parts, input);
    const mint = addresses.toShown(token);
    if (parts.pauses.isPaused(chain, token)) throw new AppError('TOKEN_PAUSED', { chain, mint });
    const place = parts.lists.directory.get(chain)?.get(token)?.logo ?? null;
    const finding = place === null ? null : await parts.logos.find(place);
    if (finding === null || finding.kind === 'none') {
      throw new AppError('LOGO_NOT_FOUND', { chain, mint });
    }
    if (finding.kind === 'failed') {
      const retryAfterSeconds = Math.max(1, Math.ceil(finding.retryAfterMs / 1000));
      const upstream = 'The server that has this logo';
      throw new AppError('UPSTREAM_UNAVAILABLE', { upstream }, { retryAfterSeconds });
    }
    const { type, bytes } = finding.image;
    return { kind: 'ready', bytes, etag: computeEtag(bytes), headers: { 'content-type': type } };
  };
}
