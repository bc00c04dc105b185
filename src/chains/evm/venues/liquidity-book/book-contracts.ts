// Liquidity Book's factories and routers, by chain: npm, @traderjoe-xyz/sdk-v2 3.0.21 (MIT).

import type { Address } from '../../../../model/ids.ts';
import type { RouterLine, VenueContracts } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import type { ReadDevnet, VenueTable } from '../venue-table.ts';

/** As routers count the versions of pairs; of v2.0 only the trades are stored. */
const VERSIONS = { 'lfj-v2': 1, 'lfj-v2-1': 2, 'lfj-v2-2': 3 } as const;

type BookVenue = keyof typeof VERSIONS;

export interface BookFactory {
  readonly venue: BookVenue;
  readonly factory: Address;
}

export function findVersion(venue: string): number | null {
  return venue in VERSIONS ? VERSIONS[venue as BookVenue] : null;
}

/** Whether its pairs are computed. */
export function isComputed(venue: string): boolean {
  return venue !== 'lfj-v2' && venue in VERSIONS;
}

function build(
  factories: Readonly<Partial<Record<BookVenue, string>>>,
  routers: Readonly<Partial<Record<BookVenue, string>>>,
): Partial<VenueContracts> {
  const liquidityBook = Object.entries(factories).map(([venue, factory]): BookFactory => {
    return { venue: venue as BookVenue, factory: evmAddress(factory) };
  });
  const lines = Object.entries(routers).map(([name, address]): RouterLine => {
    // A router takes pairs of its version and of those before it.
    const venues = Object.keys(factories).filter((venue) => isComputed(venue) && venue <= name);
    return { name, kind: 'liquidityBook', address: evmAddress(address), venues };
  });
  return { liquidityBook, routers: lines };
}

export const readDevnetBook: ReadDevnet = (file) => {
  const contracts = file.findPart('liquidityBook');
  if (contracts === null) return {};
  const [factory, router] = [contracts.find('factory'), contracts.find('router')];
  return build({ 'lfj-v2-2': factory }, { 'lfj-v2-2': router });
};

/** The same on most chains. */
const V2_1_FACTORY = '0x8e42f2f4101563bf679975178e880fd87d3efd4e';
const V2_2_FACTORY = '0xb43120c4745967fa9b93e79c149e66b0f2d6fe0c';
const V2_1_ROUTER = '0xb4315e873dbcf96ffd0acd8ea43f689d8c20fb30';
const V2_2_ROUTER = '0x18556da13313f3532c54711497a8fedac273220e';

export const BOOK_CONTRACTS: VenueTable = {
  ethereum: build(
    { 'lfj-v2-1': '0xdc8d77b69155c7e68a95a4fb0f06a71ff90b943a' },
    { 'lfj-v2-1': '0x9a93a421b74f1c5755b83dd2c211614dc419c44b' },
  ),
  arbitrum: build(
    {
      'lfj-v2': '0x1886d09c9ade0c5db822d85d21678db67b6c2982',
      'lfj-v2-1': V2_1_FACTORY,
      'lfj-v2-2': V2_2_FACTORY,
    },
    {
      'lfj-v2-1': '0xa6598a0160f6392950c7759371b6dac8eec4f6a2',
      'lfj-v2-2': '0x013e138ef6008ae5fdfde29700e3f2bc61d21e3a',
    },
  ),
  bsc: build(
    { 'lfj-v2': '0x43646a8e839b2f2766392c1bf8f60f6e587b6960', 'lfj-v2-1': V2_1_FACTORY },
    { 'lfj-v2-1': V2_1_ROUTER },
  ),
  avalanche: build(
    {
      'lfj-v2': '0x6e77932a92582f504ff6c4bdbcef7da6c198aeef',
      'lfj-v2-1': V2_1_FACTORY,
      'lfj-v2-2': V2_2_FACTORY,
    },
    { 'lfj-v2-1': V2_1_ROUTER, 'lfj-v2-2': V2_2_ROUTER },
  ),
  // Not in the package: from two public integrations.
  monad: build({ 'lfj-v2-2': V2_2_FACTORY }, { 'lfj-v2-2': V2_2_ROUTER }),
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there are none. */
    readonly liquidityBook?: readonly BookFactory[];
  }

  interface RouterKindNames {
    /** LFJ's `LBRouter`: paths of bin steps and versions. */
    readonly liquidityBook: true;
  }
}
