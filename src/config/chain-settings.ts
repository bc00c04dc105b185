// The settings of each chain that can be followed.

import { resolve } from 'node:path';
import type { ArchivePlace } from '../model/archive-place.ts';
import { type ChainInfo, FOLLOWED_FAMILIES, isEmbedded, toSettingSuffix } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { CreditTable } from '../model/rpc-usage.ts';
import { createScopeSettings, FLOOR_SETTING } from './scope-settings.ts';
import {
  integer,
  listOf,
  oneOf,
  optionalSetting,
  type Setting,
  SettingProblem,
  setting,
  solanaAddressText,
  urlWith,
} from './setting.ts';

// Settings of indexing: what is read beside the blocks, at what cost, and how long rows are kept.

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
  historySamplePct: setting('HISTORY_SAMPLE_PCT', integer({ min: 1, max: 100 }), {
    group: 'Chains',
    why: 'Of a hundred blocks that come from an archive (`HISTORY_<CHAIN>`) and are proved, how many are also compared with your own node, with a request each: the senders and hashes of transactions are in no proof. 100 compares every block. On Solana, where nothing is proved: for a hundred blocks, how many transactions are compared; at least one for each reading of up to 50 blocks.',
    example: '100',
    fallback: '2',
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

// Settings of a chain's nodes: where they are and what they may cost.

interface NodeUrls {
  readonly http: readonly string[];
  /** Nodes that announce their blocks. */
  readonly sockets: readonly string[];
}

const parseUrls = listOf(urlWith(['http:', 'https:', 'ws:', 'wss:']));

function parseNodeUrls(text: string): NodeUrls {
  const urls = parseUrls(text);
  const marked = urls.findIndex((url) => url.includes('#'));
  if (marked >= 0) {
    throw new SettingProblem(`entry ${marked + 1} must have no fragment (#…): nodes do not get it`);
  }
  const isSocket = (url: string) => /^wss?:/i.test(url);
  const sockets = urls.filter(isSocket);
  const http = urls.filter((url) => !isSocket(url));
  if (http.length === 0 && sockets.length > 0) {
    throw new SettingProblem('must have an http:// or https:// entry, too: ws:// only announces');
  }
  return { http, sockets };
}

function parseCredits(text: string): CreditTable {
  const methods = new Map<string, number>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const match = /^([A-Za-z_0-9]{1,60})[:=](\d{1,9})$/.exec(part);
    if (match?.[1] === undefined) {
      throw new SettingProblem('must be pairs such as eth_getLogs:60,default:20');
    }
    methods.set(match[1], Number(match[2]));
  }
  const other = methods.get('default') ?? 1;
  methods.delete('default');
  return { methods, other };
}

interface RpcSettings {
  readonly rpcUrls: Setting<NodeUrls | null>;
  readonly credits: Setting<CreditTable | null>;
  readonly creditsPerDay: Setting<number | null>;
  readonly creditsPerSecond: Setting<number | null>;
}

function createRpcSettings({ name, slug }: ChainInfo): RpcSettings {
  const suffix = toSettingSuffix(slug);
  return {
    rpcUrls: optionalSetting(`RPC_${suffix}`, parseNodeUrls, {
      group: 'Chains',
      why: `RPC endpoints of a ${name} node, comma-separated; the chain is followed when this is set. If one fails, the others take over. An entry with wss:// or ws:// announces new blocks, which saves polling for them.`,
      example: 'https://rpc.example.com/v1/your-key,wss://rpc.example.com/v1/your-key',
      secret: true,
    }),
    credits: optionalSetting(`RPC_CREDITS_${suffix}`, parseCredits, {
      group: 'Chains',
      why: `What calls cost at the provider of ${name}, by method; \`default\` is for all others, \`newHeads\` for an announced block. Decides what is asked for and is counted in \`/metrics\`. If unset, every call is one credit. docs/operating.md has values for the usual providers.`,
      example: 'eth_getLogs:60,eth_call:26,eth_chainId:0,default:20',
    }),
    creditsPerDay: optionalSetting(
      `RPC_CREDITS_PER_DAY_${suffix}`,
      integer({ min: 100, max: 1e12 }),
      {
        group: 'Chains',
        why: `The most credits to spend on ${name} in a day; without \`RPC_CREDITS_${suffix}\`, the most calls. Indexing slows down to keep within it and \`/ready\` says so; requests that a client waits for are counted, but not held up.`,
        example: '1000000',
      },
    ),
    creditsPerSecond: optionalSetting(
      `RPC_CREDITS_PER_SECOND_${suffix}`,
      integer({ min: 1, max: 1e9 }),
      {
        group: 'Chains',
        why: `The most credits to spend at each endpoint of ${name} in a second; without \`RPC_CREDITS_${suffix}\`, the most calls. If unset, the rate is learned from what endpoints refuse. Requests that a client waits for come first.`,
        example: '500',
      },
    ),
  };
}

/** Blocks of autumn 2026. */
const EXAMPLE_BLOCKS: Readonly<Record<string, string>> = {
  ethereum: '26000000',
  base: '59000000',
  arbitrum: '500000000',
  optimism: '159000000',
  polygon: '90000000',
  bsc: '120000000',
  solana: '450000000',
};

function startBlockSetting(chain: ChainInfo): Setting<number | null> {
  const name = `START_BLOCK_${toSettingSuffix(chain.slug)}`;
  return optionalSetting(name, integer({ min: 0, max: 1e12 }), {
    group: 'Chains',
    why: `The first ${chain.name} block to index. If unset, indexing starts near the head. History may take weeks: \`mintwire plan\` says what it costs.`,
    example: EXAMPLE_BLOCKS[chain.slug] ?? '20000000',
  });
}

/** Null for families whose transactions have no such tables. */
function lookupTablesSetting({ family, slug, name }: ChainInfo): Setting<readonly string[]> | null {
  if (family !== 'solana') return null;
  return setting(`LOOKUP_TABLES_${toSettingSuffix(slug)}`, listOf(solanaAddressText), {
    group: 'Chains',
    why: `Address lookup tables of ${name} that builds may use, comma-separated: a transaction is shorter if a table has at least two of its accounts, such as the pools that you trade in with their vaults, and routes of more pools fit. Nobody needs to own them; one that is closed is no longer used within a minute.`,
    example: 'AddressLookupTab1e1111111111111111111111111',
    fallback: '',
  });
}

function parseArchive(text: string): ArchivePlace {
  const era = /^era\+(https?:.*)$/.exec(text)?.[1];
  const url = era ?? text;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return { kind: 'eraFolder', place: resolve(text) };
  const place = urlWith(['http:', 'https:'])(url);
  if (era !== undefined) return { kind: 'eraUrl', place };
  const isPortal = new URL(place).pathname.includes('/datasets/');
  return { kind: isPortal ? 'portal' : 'rpc', place };
}

function parsePortal(text: string): ArchivePlace {
  const place = parseArchive(text);
  if (place.kind === 'portal') return place;
  throw new SettingProblem('must be datasets of an SQD Portal, such as https://host/datasets/name');
}

function archivesSetting({ family, slug, name }: ChainInfo): Setting<readonly ArchivePlace[]> {
  if (family === 'solana') {
    return setting(`HISTORY_${toSettingSuffix(slug)}`, listOf(parsePortal), {
      group: 'Chains',
      why: `Where the blocks of ${name} from \`START_BLOCK_${toSettingSuffix(slug)}\` up to the head are read, comma-separated, the preferred one first: datasets of an SQD Portal (https://host/datasets/name; a key goes in front of the host: https://key@host/…). Nothing of them can be proved: blocks must link to one of your own node, balances must add up, and transactions are compared with the node in samples. Where none has a block, your node is read. With a \`SCOPE_${toSettingSuffix(slug)}\` only the transactions of its tokens and pools are asked for. docs/history.md has what that finds and what it does not.`,
      example: `https://portal.sqd.dev/datasets/${slug}-mainnet`,
      fallback: '',
      secret: true,
    });
  }
  return setting(`HISTORY_${toSettingSuffix(slug)}`, listOf(parseArchive), {
    group: 'Chains',
    why: `Where the blocks of ${name} from \`START_BLOCK_${toSettingSuffix(slug)}\` up to the head are read, comma-separated, the preferred one first: a dataset of an SQD Portal (https://host/datasets/name; a key goes in front of the host: https://key@host/…), era files in a folder or at a URL (era+https://…), or another RPC (https://…). Every block is proved by hashes from your own node, or compared with it in samples; where none has a block, your node is read. With a \`SCOPE_${toSettingSuffix(slug)}\`, and for the history of single tokens, Portals alone are used, for the logs of these. docs/history.md has what is proved and what is not.`,
    example: `https://portal.sqd.dev/datasets/${slug}-mainnet`,
    fallback: '',
    secret: true,
  });
}

/** The settings of every chain that is followed when its `RPC_<CHAIN>` is set. */
export function createChainSettings(chains: ChainRegistry) {
  return chains
    .list()
    .filter(({ family, slug }) => FOLLOWED_FAMILIES.has(family) && !isEmbedded(slug))
    .map((chain) => ({
      chain: chain.slug,
      ...createRpcSettings(chain),
      startBlock: startBlockSetting(chain),
      lookupTables: lookupTablesSetting(chain),
      archives: archivesSetting(chain),
      scope: createScopeSettings(chain),
    }));
}

export type ChainSettings = ReturnType<typeof createChainSettings>[number];
