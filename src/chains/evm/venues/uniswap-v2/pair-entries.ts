// The pairs that the operator's file and the devnet's name: their contracts, and what those must
// answer.

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
import { findV2Layout, type V2Fork } from './v2-layouts.ts';

export const ALL_PAIRS_LENGTH_SELECTOR = '0x574f2ba3';
export const ROUTER_WRAPPED_SELECTOR = '0xad5c4648';
export const GET_AMOUNT_OUT_SELECTOR = '0x054d50d4';

/** By what the Universal Router computes what a pair pays. */
const ROUTER_FEE_PIPS = 3000;

const addContracts: FileEntries['addContracts'] = (entries, known) => {
  const own = entries.filter((entry) => entry.kind === 'v2');
  const forks = own.map((entry): V2Fork => {
    const { venue, universalRouter, feePips, layout } = entry;
    const router = toOptionalAddress(entry.router);
    // The fork's own router tells what its pairs charge, and is asked at start. The Universal
    // Router pays by a fee of its own, whatever the pair would give.
    const isFeeKnown = router !== null || (universalRouter && feePips === ROUTER_FEE_PIPS);
    const unchecked = isFeeKnown ? {} : { isFeeUnchecked: true as const };
    const place = { venue, factory: evmAddress(entry.factory), universalRouter, feePips, router };
    return { ...place, ...(layout === undefined ? unchecked : { layout }) };
  });
  // A `Router02` stands with its fork.
  const routers = own.flatMap(({ venue, router, layout }) =>
    router !== null && (layout === 'solidly' || layout === 'camelot')
      ? [routerOf(venue, layout, router)]
      : [],
  );
  return { v2: [...leaveOutNamed(known.v2, entries), ...forks], routers };
};

const PIPS = 1_000_000n;
/** What a router is asked: large, so that a fee of one pip shows. */
const ASKED = { amountIn: 10n ** 24n, reserve: 10n ** 30n };

/** What a pair with such reserves pays at this fee, as routers round it. */
function computeAmountOut(feePips: number): bigint {
  const { amountIn, reserve } = ASKED;
  const charged = amountIn * (PIPS - BigInt(feePips));
  return (charged * reserve) / (reserve * PIPS + charged);
}

function estimateFee(amountOut: bigint): bigint {
  const { amountIn, reserve } = ASKED;
  if (amountOut >= reserve) return 0n;
  const charged = (amountOut * reserve) / (reserve - amountOut);
  return PIPS - (charged * PIPS + amountIn / 2n) / amountIn;
}

/** A fork's own router tells what its pairs charge. */
function askFee(feePips: number): Pick<Claim, 'asks' | 'judge'> {
  const words = [ASKED.amountIn, ASKED.reserve, ASKED.reserve].map(uintWord);
  return {
    asks: [encodeCallData(GET_AMOUNT_OUT_SELECTOR, ...words)],
    judge: ([answer]) => {
      const word = toWord(answer);
      if (word === null) return 'does not tell its fee by getAmountOut(): leave the router out';
      const paid = uintAt(word, 0);
      if (paid === computeAmountOut(feePips)) return null;
      return `charges about ${estimateFee(paid)} pips, not ${feePips}: correct feePips`;
    },
  };
}

const listClaims: FileEntries['listClaims'] = (entry, { path, wrapped }) => {
  if (entry.kind !== 'v2') return [];
  const { factory, router, layout } = entry;
  const place = { path: `${path}.router`, factory, wrapped, wrappedAsk: ROUTER_WRAPPED_SELECTOR };
  if (layout !== undefined) {
    const { lookupSelector: selector, keys } = findV2Layout(entry);
    const own = claimLike(entry, path, { selector, key: keys.slice(0, 1) });
    if (router === null) return [own];
    // Routers of Solidly's layout take the factory with each hop.
    return [
      own,
      layout === 'solidly'
        ? claim(place.path, router)
        : claimOfFactory(place.path, router, factory),
    ];
  }
  return [
    claim(`${path}.factory`, factory, [ALL_PAIRS_LENGTH_SELECTOR], ([pairs]) =>
      toWord(pairs) === null ? 'is no V2 factory: it does not answer allPairsLength()' : null,
    ),
    ...claimPeriphery(router, place, askFee(entry.feePips)),
  ];
};

export const PAIR_ENTRIES: FileEntries = { addContracts, listClaims };

const DEVNET_SOLIDLY = 'solidly-v2';

export const readDevnetPairs: ReadDevnet = (file) => {
  const [own, others] = [file.contracts, file.findPart('others')];
  const uniswap: V2Fork = {
    ...{ venue: 'uniswap-v2', factory: own.find('v2Factory'), feePips: 3000 },
    ...{ router: own.find('v2Router'), universalRouter: true },
  };
  if (others === null) return { v2: [uniswap] };
  const solidly: V2Fork = {
    ...{ venue: DEVNET_SOLIDLY, factory: others.find('solidlyFactory'), layout: 'solidly' },
    ...{ feePips: 0, router: null, universalRouter: false },
  };
  const router = routerOf(DEVNET_SOLIDLY, 'solidly', others.find('solidlyRouter'));
  return { v2: [uniswap, solidly], routers: [router] };
};
