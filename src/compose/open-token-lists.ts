// Reads the operator's token lists and watches those that have a URL.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { findFamily } from '../engines/chain-families.ts';
import { sleep } from '../lib/retry.ts';
import { type FindListChain, TokenListError } from '../market/lists/parse-token-list.ts';
import { readBundledLists } from '../market/lists/read-bundled-list.ts';
import {
  openListUrl,
  readListFile,
  type TokenListSource,
} from '../market/lists/token-list-source.ts';
import { TokenLists } from '../market/lists/token-lists.ts';
import { LIST_CHAIN_IDS } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

function createFindChain(known: ChainRegistry): FindListChain {
  return (chainId) => {
    const chain = known.findById(chainId) ?? known.find(LIST_CHAIN_IDS[chainId] ?? '');
    if (chain === null) return null;
    return { slug: chain.slug, addresses: findFamily(chain.slug).addresses };
  };
}

function measure(lists: TokenLists, metrics: Metrics): void {
  metrics.listGauge('mintwire_token_list_tokens', 'Tokens of known chains in a token list.', () =>
    lists.statuses.map(({ label, tokens }) => [label, tokens] as const),
  );
  metrics.listGauge(
    'mintwire_token_list_failing',
    '1 while reading a token list fails, else 0.',
    () => lists.statuses.map(({ label, isFailing }) => [label, isFailing ? 1 : 0] as const),
  );
}

/** Last, so that the operator's own lists win. Read only for chains that are followed. */
function openBundledLists(config: Config, logger: Logger): readonly TokenListSource[] {
  const followed = new Set(config.chains.map(({ chain }) => chain));
  if (config.lists.bundled === 'off' || followed.size === 0) return [];
  const findKnown = createFindChain(config.knownChains);
  try {
    return readBundledLists((chainId) => {
      const chain = findKnown(chainId);
      return chain !== null && followed.has(chain.slug) ? chain : null;
    });
  } catch (error) {
    logger.warn({ err: error }, 'the bundled token lists cannot be read');
    return [];
  }
}

/** Throws a `ConfigError` that names every problem of every file. Fetches nothing yet. */
export async function openTokenLists(options: {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<TokenLists> {
  const { config, logger, metrics } = options;
  const folder = join(config.store.dataDir, 'token-lists');
  const findChain = createFindChain(config.knownChains);
  const problems: string[] = [];
  const sources = [];
  for (const place of config.lists.places) {
    if (place.kind === 'url') sources.push(await openListUrl(place.url, { folder, findChain }));
    else {
      try {
        sources.push(await readListFile(place.path, findChain));
      } catch (error) {
        if (!(error instanceof TokenListError)) throw error;
        problems.push(...error.problems.map((problem) => `TOKEN_LISTS ${place.path}: ${problem}`));
      }
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  sources.push(...openBundledLists(config, logger));
  const lists = new TokenLists({
    sources,
    sleep,
    random: Math.random,
    onFailure: (list, error) =>
      logger.warn({ list, err: error }, 'reading a token list failed; its last copy stays in use'),
    onRecovered: (list) => logger.info({ list }, 'reading a token list works again'),
  });
  measure(lists, metrics);
  return lists;
}

/** The devnet writes a list of its own tokens; one of an older version does not. */
export async function addDevnetList(
  lists: TokenLists,
  options: { readonly folder: string; readonly config: Config; readonly logger: Logger },
): Promise<void> {
  const path = join(options.folder, 'tokens.json');
  if (!existsSync(path)) return;
  try {
    lists.add(await readListFile(path, createFindChain(options.config.knownChains)));
  } catch (error) {
    options.logger.warn({ err: error }, "the devnet's token list cannot be read");
  }
}
