// The contracts that an operator's file names, as a deployment: a chain of its own, or additions to
// one that is built in.

import type { ChainSlug } from '../../../model/chain.ts';
import type { AddedContracts, ChainContracts } from '../../../model/chain-contracts.ts';
import { ContractsError } from '../../family.ts';
import type { EvmDeployment, VenueContracts } from '../data/deployments/evm-deployment.ts';
import { evmAddress, evmPool } from '../data/evm-ids.ts';
import { joinContracts } from './deployments.ts';
import { findFactory, toOptionalAddress } from './file-entries.ts';
import { listFactories, VENUE_PROTOCOLS } from './registry.ts';

function addEntries(
  { factories, stables, anchorPools }: AddedContracts,
  known: Pick<EvmDeployment, 'stables' | 'anchorPools'> & Partial<VenueContracts>,
) {
  const own = VENUE_PROTOCOLS.map(({ entries }) => entries?.addContracts(factories, known) ?? {});
  return {
    ...joinContracts([known, ...own]),
    // The built-in contracts come first: they stay the better anchors.
    stables: [...known.stables, ...stables.map(evmAddress)],
    anchorPools: [...known.anchorPools, ...anchorPools.map(evmPool)],
  };
}

/** What the file repeats of the chain's own contracts. */
function findRepeats(known: EvmDeployment, added: AddedContracts): string[] {
  const all = listFactories(known);
  const forks = all.filter((fork) => fork.isSearched !== false);
  const unsearched = new Set(all.flatMap((one) => (one.isSearched === false ? one.venue : [])));
  const venues = new Set(
    VENUE_PROTOCOLS.flatMap(({ listVenues }) => listVenues(known)).filter(
      (venue) => !unsearched.has(venue),
    ),
  );
  const factories = new Map(forks.map(({ factory, venue }) => [factory, venue]));
  const path = `chains.${known.chain}`;
  const repeats = added.factories.flatMap((entry) => {
    const factory = findFactory(entry);
    const owner = factory === null ? undefined : factories.get(factory);
    if (owner !== undefined) return [`${path}.factories: ${factory} is that of ${owner} already`];
    const { venue } = entry;
    return venues.has(venue) ? [`${path}.factories: there is a venue ${venue} already`] : [];
  });
  for (const stable of added.stables.map(evmAddress)) {
    if (known.stables.includes(stable)) repeats.push(`${path}.stables: ${stable} is there already`);
  }
  for (const pool of added.anchorPools.map(evmPool)) {
    const isKnown = known.anchorPools.includes(pool);
    if (isKnown) repeats.push(`${path}.anchorPools: ${pool} is there already`);
  }
  return repeats;
}

/** Throws a `ContractsError`; `known` is null for a chain that is not built in. */
export function toFileDeployment(
  chain: ChainSlug,
  contracts: ChainContracts,
  known: EvmDeployment | null,
): EvmDeployment {
  if (contracts.kind === 'added') {
    if (known === null) throw new Error(`no contracts are known for ${chain}`);
    const repeats = findRepeats(known, contracts);
    if (repeats.length > 0) throw new ContractsError(repeats);
    return { ...known, ...addEntries(contracts, known) };
  }
  const { chainId, native, universalRouter, rollup } = contracts;
  return {
    ...{ chain, chainId, native },
    wrapped: evmAddress(contracts.wrapped),
    wrappedEmitsTransfers: contracts.wrappedEmitsTransfers,
    ...addEntries(contracts, { stables: [], anchorPools: [] }),
    universalRouter: universalRouter && {
      address: evmAddress(universalRouter.address),
      version: universalRouter.version,
    },
    permit2: toOptionalAddress(contracts.permit2),
    multicall3: toOptionalAddress(contracts.multicall3),
    ...(rollup === null ? {} : { rollup }),
    finalityDepth: contracts.finalityDepth,
  };
}
