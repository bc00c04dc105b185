// DODO V2: each pool logs its swaps with both tokens. A pool counts if one of DODO's factories
// lists it for its tokens.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const DODO_VENUE = 'dodo-v2';
const SWAP_TOPIC = '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f';
export const BASE_TOKEN_SELECTOR = '0x4a248d2a';
export const QUOTE_TOKEN_SELECTOR = '0xd4b97046';
export const LIST_POOLS_SELECTOR = '0x57a281dc';

/** The token of the lower address is first. */
const decodeSwap: LogDecoder = (log, out) => {
  const { address, topics, data } = log;
  if (topics.length !== 1 || !hasWords(data, 6)) return;
  const [tokenIn, tokenOut] = [decodeAddressAt(data, 0), decodeAddressAt(data, 1)];
  if (tokenIn === tokenOut) return;
  const amounts = { paid: uintAt(data, 2), received: uintAt(data, 3) };
  const isZeroIn = tokenIn < tokenOut;
  out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, ...amounts }));
};

/** Whether a list of addresses has this one. */
function hasAddress(answer: string | null | undefined, wanted: string): boolean {
  if (answer == null || !hasWordAt(answer, 1)) return false;
  const end = 2 + Number(uintAt(answer, 1));
  for (let at = 2; at < end && hasWordAt(answer, at); at += 1) {
    if (decodeAddressAt(answer, at) === wanted) return true;
  }
  return false;
}

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const { dodo: factories = [] } = deployment;
  const said = await callContracts(
    pools.flatMap((pool) =>
      [BASE_TOKEN_SELECTOR, QUOTE_TOKEN_SELECTOR].map((data) => ({
        ...{ to: toPoolContract(pool), data },
      })),
    ),
  );
  const claims = pools.flatMap((pool, index) => {
    const [base = null, quote = null] = said.slice(index * 2, index * 2 + 2);
    if (base === null || quote === null || !hasWords(base, 1) || !hasWords(quote, 1)) return [];
    return [{ pool, base: decodeAddressAt(base, 0), quote: decodeAddressAt(quote, 0) }];
  });
  const lists = await callContracts(
    claims.flatMap(({ base, quote }) => {
      const data = encodeCallData(LIST_POOLS_SELECTOR, addressWord(base), addressWord(quote));
      return factories.map((to) => ({ to, data }));
    }),
  );
  return claims.flatMap(({ pool, base, quote }, index): PoolDescription[] => {
    const own = lists.slice(index * factories.length, (index + 1) * factories.length);
    const vault = toPoolContract(pool);
    if (base === quote || !own.some((list) => hasAddress(list, vault))) return [];
    const [token0, token1] = base < quote ? [base, quote] : [quote, base];
    return [describeUnpriced({ pool, venue: DODO_VENUE, vault, token0, token1, feePips: 0 })];
  });
};

export const dodo: VenueProtocol = {
  ...UNPRICED,
  listVenues: ({ dodo: factories }) => (factories === undefined ? [] : [DODO_VENUE]),
  createDecoders: ({ dodo: factories }) =>
    new Map(factories === undefined ? [] : [[SWAP_TOPIC, decodeSwap]]),
  describeLogs: ({ dodo: factories }) =>
    factories === undefined ? null : { creations: [], poolTopics: [SWAP_TOPIC], singleton: null },
  resolvePools,
};
