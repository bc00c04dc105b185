// The contracts that an operator's file names, as a deployment: a chain of its own, or additions to
// one that is built in.

import type { ChainSlug } from '../../../../model/chain.ts';
import type {
  AddedContracts,
  ChainContracts,
  FactoryEntry,
  V2LayoutName,
  V3LayoutName,
} from '../../../../model/chain-contracts.ts';
import { ContractsError } from '../../../family.ts';
import type {
  EvmDeployment,
  RouterLine,
  V2Fork,
  V3Fork,
  V4Deployment,
  VenueRouterKind,
} from './evm-deployment.ts';
import { evmAddress, evmPool } from '../evm-ids.ts';

type ForkLists = Pick<EvmDeployment, 'v2' | 'v3' | 'v4'> & Required<Pick<EvmDeployment, 'routers'>>;

/** By what the Universal Router computes what a V2 pair pays. */
const ROUTER_FEE_PIPS = 3000;

/** How the router of an exchange is called, by its layout. */
const LAYOUT_ROUTERS: Readonly<Partial<Record<V2LayoutName | V3LayoutName, VenueRouterKind>>> = {
  uniswap: 'swapRouter',
  solidly: 'solidly',
  camelot: 'camelot',
  slipstream: 'slipstream',
  algebra: 'algebra',
  algebraDirectional: 'algebra',
};

/** Other routers than a `Router02`, which stands with its fork. */
function toRouterLines(entry: FactoryEntry): RouterLine[] {
  if (entry.kind === 'v4' || !entry.router || entry.universalRouter) return [];
  const { kind: version, venue, layout = 'uniswap', router } = entry;
  const isSmart = version === 'v3' && entry.routerKind === 'swapRouter02';
  const kind = isSmart ? 'smart' : LAYOUT_ROUTERS[layout];
  if (kind === undefined || (version === 'v2' && layout === 'uniswap')) return [];
  return [{ name: venue, kind, address: evmAddress(router), venues: [venue] }];
}

const toOptional = (text: string | null) => (text === null ? null : evmAddress(text));

function toForks({ factories }: AddedContracts): ForkLists {
  const v2: V2Fork[] = [];
  const v3: V3Fork[] = [];
  let v4: V4Deployment | null = null;
  for (const entry of factories) {
    const { venue } = entry;
    if (entry.kind === 'v4') {
      v4 = {
        venue,
        poolManager: evmAddress(entry.poolManager),
        positionManager: evmAddress(entry.positionManager),
        stateView: evmAddress(entry.stateView),
        quoter: evmAddress(entry.quoter),
      };
      continue;
    }
    const { universalRouter } = entry;
    const place = { venue, factory: evmAddress(entry.factory), universalRouter };
    if (entry.kind === 'v2') {
      const { feePips, layout } = entry;
      const router = toOptional(entry.router);
      // The fork's own router tells what its pairs charge, and is asked at start. The Universal
      // Router pays by a fee of its own, whatever the pair would give.
      const isFeeKnown = router !== null || (universalRouter && feePips === ROUTER_FEE_PIPS);
      const unchecked = isFeeKnown ? {} : { isFeeUnchecked: true as const };
      const own = layout === undefined ? unchecked : { layout };
      v2.push({ ...place, ...own, feePips, router });
    } else {
      const { feeTiers, layout } = entry;
      const own = layout === undefined ? {} : { layout };
      const tiers = feeTiers === null ? {} : { feeTiers };
      v3.push({ ...place, ...own, ...tiers, quoter: toOptional(entry.quoter) });
    }
  }
  return { v2, v3, v4, routers: factories.flatMap(toRouterLines) };
}

/** What the file repeats of the chain's own contracts. */
function findRepeats(known: EvmDeployment, added: EvmDeployment): string[] {
  const forks = [...known.v2, ...known.v3].filter((fork) => fork.isSearched !== false);
  const venues = new Set([...forks, ...(known.v4 ? [known.v4] : [])].map(({ venue }) => venue));
  const factories = new Map(forks.map(({ factory, venue }) => [factory, venue]));
  const path = `chains.${known.chain}`;
  const repeats = [...added.v2, ...added.v3].flatMap(({ venue, factory }) => {
    const owner = factories.get(factory);
    if (owner !== undefined) return [`${path}.factories: ${factory} is that of ${owner} already`];
    return venues.has(venue) ? [`${path}.factories: there is a venue ${venue} already`] : [];
  });
  for (const stable of added.stables) {
    if (known.stables.includes(stable)) repeats.push(`${path}.stables: ${stable} is there already`);
  }
  for (const pool of added.anchorPools) {
    const isKnown = known.anchorPools.includes(pool);
    if (isKnown) repeats.push(`${path}.anchorPools: ${pool} is there already`);
  }
  return repeats;
}

/** Only what the file adds, in the shape of the whole. */
function toAddedDeployment(known: EvmDeployment, added: AddedContracts): EvmDeployment {
  return {
    ...known,
    ...toForks(added),
    stables: added.stables.map(evmAddress),
    anchorPools: added.anchorPools.map(evmPool),
    v4: null,
  };
}

/** What the operator says of a fork counts more than a list that nobody checked. */
function leaveOut<F extends V2Fork | V3Fork>(forks: readonly F[], added: EvmDeployment): F[] {
  const own = [...added.v2, ...added.v3];
  const isOwn = ({ factory, venue }: F) =>
    own.some((one) => one.factory === factory || one.venue === venue);
  return forks.filter((fork) => fork.isSearched !== false || !isOwn(fork));
}

/** The built-in contracts come first: they stay the better anchors. */
function addContracts(known: EvmDeployment, contracts: AddedContracts): EvmDeployment {
  const added = toAddedDeployment(known, contracts);
  const repeats = findRepeats(known, added);
  if (repeats.length > 0) throw new ContractsError(repeats);
  return {
    ...known,
    stables: [...known.stables, ...added.stables],
    anchorPools: [...known.anchorPools, ...added.anchorPools],
    v2: [...leaveOut(known.v2, added), ...added.v2],
    v3: [...leaveOut(known.v3, added), ...added.v3],
    routers: [...(known.routers ?? []), ...(added.routers ?? [])],
  };
}

/** Throws a `ContractsError`; `known` is null for a chain that is not built in. */
export function toFileDeployment(
  chain: ChainSlug,
  contracts: ChainContracts,
  known: EvmDeployment | null,
): EvmDeployment {
  if (contracts.kind === 'added') {
    if (known === null) throw new Error(`no contracts are known for ${chain}`);
    return addContracts(known, contracts);
  }
  const { chainId, native, universalRouter, rollup } = contracts;
  return {
    ...{ chain, chainId, native },
    wrapped: evmAddress(contracts.wrapped),
    wrappedEmitsTransfers: contracts.wrappedEmitsTransfers,
    stables: contracts.stables.map(evmAddress),
    anchorPools: contracts.anchorPools.map(evmPool),
    ...toForks(contracts),
    universalRouter: universalRouter && {
      address: evmAddress(universalRouter.address),
      version: universalRouter.version,
    },
    permit2: toOptional(contracts.permit2),
    multicall3: toOptional(contracts.multicall3),
    ...(rollup === null ? {} : { rollup }),
    finalityDepth: contracts.finalityDepth,
  };
}
