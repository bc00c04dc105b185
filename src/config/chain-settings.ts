// The settings of each chain that can be followed.

import { type ChainInfo, FOLLOWED_FAMILIES, isEmbedded, toSettingSuffix } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import { createRpcSettings } from './rpc-settings.ts';
import { createScopeSettings } from './scope-settings.ts';
import {
  integer,
  listOf,
  optionalSetting,
  type Setting,
  setting,
  solanaAddressText,
} from './setting.ts';

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
    why: `Address lookup tables of ${name} that builds may use, comma-separated: a transaction is shorter if a table has at least two of its accounts, such as the pools that you trade in. Nobody needs to own them; one that is closed is no longer used within a minute.`,
    example: 'AddressLookupTab1e1111111111111111111111111',
    fallback: '',
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
      scope: createScopeSettings(chain),
    }));
}

export type ChainSettings = ReturnType<typeof createChainSettings>[number];
