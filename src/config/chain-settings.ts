// The settings of each chain that can be followed.

import { type ChainInfo, FOLLOWED_FAMILIES, isEmbedded, toSettingSuffix } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import { createRpcSettings } from './rpc-settings.ts';
import { createScopeSettings } from './scope-settings.ts';
import { integer, optionalSetting, type Setting } from './setting.ts';

function startBlockSetting(chain: ChainInfo): Setting<number | null> {
  const name = `START_BLOCK_${toSettingSuffix(chain.slug)}`;
  return optionalSetting(name, integer({ min: 0, max: 1e12 }), {
    group: 'Chains',
    why: `The first ${chain.name} block to index. If unset, indexing starts near the head.`,
    example: '20000000',
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
      scope: createScopeSettings(chain),
    }));
}

export type ChainSettings = ReturnType<typeof createChainSettings>[number];
