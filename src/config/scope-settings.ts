// Which tokens of each chain are indexed.

import { type ChainInfo, toSettingSuffix } from '../model/chain.ts';
import { SCOPE_NAMES, type ScopeName } from '../model/scope.ts';
import {
  evmAddressText,
  integer,
  listOf,
  oneOf,
  optionalSetting,
  type Setting,
  setting,
  solanaAddressText,
} from './setting.ts';

/** The scope of one chain as it is configured. */
export interface ConfiguredScope {
  readonly name: ScopeName;
  /** Addresses as they are written; empty unless the scope is `watch`. */
  readonly watch: readonly string[];
}

export interface ScopeSettings {
  readonly name: Setting<ScopeName>;
  readonly watch: Setting<readonly string[] | null>;
}

export const FLOOR_SETTING = setting('LIQUID_FLOOR_USD', integer({ min: 1, max: 1e12 }), {
  group: 'Chains',
  why: 'For chains with scope `liquid`: what one of a token’s pools against the native coin or a stable asset must be worth, in USD, before the token is indexed. It stays from then on.',
  example: '10000',
  fallback: '1000',
});

/** How tokens of each family are written, with one of them. */
const TOKENS = {
  evm: { parse: evmAddressText, example: '0x4200000000000000000000000000000000000006' },
  solana: { parse: solanaAddressText, example: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN' },
} as const;

export function createScopeSettings({ name, slug, family }: ChainInfo): ScopeSettings {
  const suffix = toSettingSuffix(slug);
  const group = slug === 'devnet' ? 'Devnet' : 'Chains';
  return {
    name: setting(`SCOPE_${suffix}`, oneOf(SCOPE_NAMES), {
      group,
      why: `Which tokens of ${name} are indexed. \`all\`: every one. \`liquid\`: those that have had a pool worth \`LIQUID_FLOOR_USD\`. \`watch\`: those in \`WATCH_${suffix}\` and those added with \`npx mintwire watch\`; the node is asked for nothing else, which suits a free plan. It is fixed when the index begins.`,
      example: 'watch',
      fallback: 'all',
    }),
    watch: optionalSetting(`WATCH_${suffix}`, listOf(TOKENS[family].parse), {
      group,
      why: `Tokens of ${name} to index with \`SCOPE_${suffix}=watch\`, comma-separated.`,
      example: TOKENS[family].example,
    }),
  };
}

/** A problem of a chain's scope that no single setting has; null if there is none. */
export function findScopeProblem(
  { name, watch }: ScopeSettings,
  read: { readonly name: ScopeName; readonly watch: readonly string[] | null },
): string | null {
  if (read.watch === null || read.name === 'watch') return null;
  return `${watch.name} needs ${name.name}=watch (it is "${read.name}")`;
}
