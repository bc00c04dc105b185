// Finds the oldest time that a token's trades after a position may have, to limit the read.

import type { TokenReference } from '../parse-token.ts';
import type { AnswerReader } from '../read-at.ts';
import { comparePositions, type StreamPosition } from './stream-point.ts';

/** The first guess of how much older than the chain's time a trade may be. */
const CLOCK_SLACK_MS = 120_000;
const SLACK_FACTOR = 16;

/**
 * A time that no trade after the position is older than. A token's trades never go back in time,
 * but may be older than the chain's time at the position, by as much as that went back.
 */
export async function readOldestTime(
  reader: AnswerReader,
  { chain, token }: Pick<TokenReference, 'chain' | 'token'>,
  after: StreamPosition,
): Promise<number> {
  for (let slackMs = CLOCK_SLACK_MS; slackMs < after.timeMs; slackMs *= SLACK_FACTOR) {
    const timeMs = after.timeMs - slackMs;
    const { trades } = await reader.readTradePage(chain, {
      ...{ token, pool: null, side: null, wallet: null, minUsd: null, after: null },
      range: { fromMs: 0, toMs: timeMs },
      order: 'newest',
      limit: 1,
    });
    const last = trades[0];
    if (last === undefined || comparePositions(last, after) <= 0) return timeMs;
  }
  return 0;
}
