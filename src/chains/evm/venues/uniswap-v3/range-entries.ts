// The V3-like pools that the operator's file and the devnet's name: their contracts, and what those
// must answer.

import type { FactoryEntry, V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { VenueRouterKind } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { encodeCallData, uintAt, uintWord } from '../../data/hex-data.ts';
import {
  type Claim,
  claim,
  claimLike,
  claimOfFactory,
  claimPeriphery,
  type FileEntries,
  leaveOutNamed,
  toOptionalAddress,
  toWord,
} from '../file-entries.ts';
import { type ReadDevnet, routerOf } from '../venue-table.ts';
import { FEE_TIERS, findV3Layout, type V3Fork } from './v3-layouts.ts';

export const TICK_SPACING_OF_FEE_SELECTOR = '0x22afcccb';
export const QUOTER_WRAPPED_SELECTOR = '0x4aa4a4fc';

/** How the router of an exchange is called, by its layout. */
const LAYOUT_ROUTERS: Readonly<Partial<Record<V3LayoutName, VenueRouterKind>>> = {
  uniswap: 'swapRouter',
  slipstream: 'slipstream',
  algebra: 'algebra',
  algebraDirectional: 'algebra',
  algebraIntegral: 'algebraIntegral',
};

type RangeEntry = Extract<FactoryEntry, { readonly kind: 'v3' }>;

function toRouters({ venue, layout = 'uniswap', router, ...entry }: RangeEntry) {
  const isSmart = entry.routerKind === 'swapRouter02';
  const kind = isSmart ? 'smart' : LAYOUT_ROUTERS[layout];
  if (!router || entry.universalRouter || kind === undefined) return [];
  return [routerOf(venue, kind, router)];
}

const addContracts: FileEntries['addContracts'] = (entries, known) => {
  const own = entries.filter((entry) => entry.kind === 'v3');
  const forks = own.map((entry): V3Fork => {
    const { venue, universalRouter, feeTiers, layout } = entry;
    const quoter = toOptionalAddress(entry.quoter);
    const place = { venue, factory: evmAddress(entry.factory), universalRouter, quoter };
    const tiers = feeTiers === null ? {} : { feeTiers };
    return { ...place, ...tiers, ...(layout === undefined ? {} : { layout }) };
  });
  const routers = own.flatMap(toRouters);
  return { v3: [...leaveOutNamed(known.v3, entries), ...forks], routers };
};

function claimFactory({ factory, feeTiers }: RangeEntry, path: string): Claim {
  const tiers = feeTiers ?? FEE_TIERS;
  const asks = tiers.map((fee) => encodeCallData(TICK_SPACING_OF_FEE_SELECTOR, uintWord(fee)));
  return claim(`${path}.factory`, factory, asks, (answers) => {
    const words = answers.map(toWord);
    if (words.includes(null)) return 'is no V3 factory: it does not answer feeAmountTickSpacing()';
    const unknown = tiers.filter((_, index) => uintAt(words[index] ?? '0x0', 0) === 0n);
    if (feeTiers === null) {
      return unknown.length < tiers.length ? null : 'knows none of the usual fees: name feeTiers';
    }
    return unknown.length === 0 ? null : `does not know the fees ${unknown.join(', ')}`;
  });
}

const listClaims: FileEntries['listClaims'] = (entry, { path, wrapped }) => {
  if (entry.kind !== 'v3') return [];
  const { factory, router, quoter, layout } = entry;
  if (layout !== undefined) {
    const { lookupSelector: selector, listKeys, encodeKey } = findV3Layout(entry);
    const key = listKeys({}).flatMap(encodeKey).slice(0, 1);
    return [
      claimLike(entry, path, { selector, key }),
      ...(router ? [claimOfFactory(`${path}.router`, router, factory)] : []),
    ];
  }
  const place = { factory, wrapped, wrappedAsk: QUOTER_WRAPPED_SELECTOR };
  return [
    claimFactory(entry, path),
    ...claimPeriphery(quoter, { ...place, path: `${path}.quoter` }),
    ...claimPeriphery(router, { ...place, path: `${path}.router` }),
  ];
};

export const RANGE_ENTRIES: FileEntries = { addContracts, listClaims };

const DEVNET_PANCAKE = 'pancakeswap-v3';

export const readDevnetRanges: ReadDevnet = (file) => {
  const [own, others] = [file.contracts, file.findPart('others')];
  const uniswap: V3Fork = {
    ...{ venue: 'uniswap-v3', factory: own.find('v3Factory'), quoter: own.find('v3Quoter') },
    universalRouter: true,
  };
  if (others === null) return { v3: [uniswap] };
  const pancake: V3Fork = {
    ...{ venue: DEVNET_PANCAKE, factory: others.find('pancakeFactory'), quoter: null },
    ...{ feeTiers: [100, 500, 2500, 10_000], universalRouter: false },
  };
  const router = routerOf(DEVNET_PANCAKE, 'smart', others.find('pancakeRouter'));
  return { v3: [uniswap, pancake], routers: [{ ...router, name: 'pancakeswap' }] };
};
