// Settings of indexing: what is read beside the blocks, at what cost, and how long rows are kept.

import { FLOOR_SETTING } from './scope-settings.ts';
import { integer, oneOf, optionalSetting, type Setting, setting } from './setting.ts';

function retainSetting(
  name: string,
  about: { why: string; example: string },
): Setting<number | null> {
  return optionalSetting(name, integer({ min: 1, max: 36_500 }), { ...about, group: 'Store' });
}

export const INDEXING_SETTINGS = {
  stallSeconds: setting('STALL_SECONDS', integer({ min: 1, max: 3600 }), {
    group: 'Chains',
    why: 'How long a chain may make no progress before `/ready` fails.',
    example: '30',
    fallback: '60',
  }),
  checkLogs: setting('CHECK_LOGS', oneOf(['all', 'head']), {
    group: 'Chains',
    why: 'Which log replies are checked against the block headers. Some endpoints omit logs without an error. `head` skips the headers of historical blocks, for a node that you trust.',
    example: 'head',
    fallback: 'all',
  }),
  unlistedForks: setting('UNLISTED_FORKS', oneOf(['on', 'off']), {
    group: 'Chains',
    why: 'Whether pools of Uniswap V2 and V3 forks that nobody listed are accepted by what they do: one that swaps is probed once, in the background, with fifteen to fifty requests, and not while a daily budget slows the chain down. They are never exact and never traded. `off` probes none; pools that are stored already stay.',
    example: 'off',
    fallback: 'on',
  }),
  adoptCallsPerMinute: setting('ADOPT_CALLS_PER_MINUTE', integer({ min: 0, max: 1_000_000 }), {
    group: 'Chains',
    why: 'How many requests a minute, on average and for each chain, may go into adopting pools that are older than the index: their whole state is read from the contracts, so that quotes can use all of it. A pool takes some five to fifty. 0 adopts none; on the devnet there is no limit.',
    example: '600',
    fallback: '60',
  }),
  backfillCallsPerMinute: setting(
    'BACKFILL_CALLS_PER_MINUTE',
    integer({ min: 0, max: 1_000_000 }),
    {
      group: 'Chains',
      why: 'How many requests a minute, on average and for each chain, may go into filling in the history of tokens from before the first indexed block: trades and klines newest first, and transfers for holders. Each old trade takes two or three. 0 fills in none; on the devnet there is no limit.',
      example: '600',
      fallback: '60',
    },
  ),
  backfillTokensMax: setting('BACKFILL_TOKENS_MAX', integer({ min: 1, max: 100_000 }), {
    group: 'Chains',
    why: 'How many tokens of a chain may wait for their history or have it read; eight take turns. If there are more, one of the client with the most is dropped until it is requested again: the one that has waited longest.',
    example: '1000',
    fallback: '200',
  }),
  lookupsPerMinute: setting('LOOKUPS_PER_MINUTE', integer({ min: 0, max: 1_000_000 }), {
    group: 'Chains',
    why: 'How many tokens a minute, on average and for each chain, may be looked up because somebody asks for an address that the index does not have: its metadata and its pools are read from the contracts. An address without a contract takes one request, a token ten to thirty. 0 looks none up: an unknown address is then 404.',
    example: '300',
    fallback: '20',
  }),
  liquidFloorUsd: FLOOR_SETTING,
  retainTradesDays: retainSetting('RETAIN_TRADES_DAYS', {
    why: "Days of trades to keep, by the chain's time; klines of `1s` are made from them. Whole days are deleted, those above the finalized block never. Unset keeps all.",
    example: '30',
  }),
  retainFineCandlesDays: retainSetting('RETAIN_FINE_CANDLES_DAYS', {
    why: 'Days of klines shorter than a day to keep; those of a day and longer stay for ever. Unset keeps all.',
    example: '90',
  }),
} as const;
