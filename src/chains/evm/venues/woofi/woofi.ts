// WOOFi: a contract swaps every listed token against one quote coin, at prices that an operator
// posts, and logs each swap with both tokens. A swap of two listed tokens passes through the quote
// coin inside and is logged once. The routers log the same swap again, under a topic of their own.
//
// Each two tokens are a row, which their swap announces: only the exchange's contracts are
// believed.

import { keccak256 } from 'viem/utils';
import type { Address } from '../../../../model/ids.ts';
import { evmAddress, evmPool } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import { addressWord, hasWords, toTopicAddress, uintAt } from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const WOOFI_VENUE = 'woofi-v2';
const SWAP_TOPIC = '0x0e8e403c2d36126272b08c75823e988381d9dc47f2f0a9a080d95f891d95c469';
/** Without the volume and the fee. */
const OLD_SWAP_TOPIC = '0x74ef34e2ea7c5d9f7b7ed44e97ad44b4303416c3a660c3fb5b3bdb95a1d6abd3';
/** Which topic is the token that was sold; the next one was bought. */
const SOLD_AT = 1;

/** Amounts sold and bought, sender, rebate's receiver, volume and fee. */
function createDecoder(exchanges: readonly Address[]): LogDecoder {
  return (log, out) => {
    const { address, topics, data } = log;
    const exchange = exchanges.find((one) => one === address);
    if (exchange === undefined || topics.length !== 4 || !hasWords(data, 6)) return;
    const [sold, bought] = [toTopicAddress(topics[SOLD_AT]), toTopicAddress(topics[SOLD_AT + 1])];
    if (sold === null || bought === null || sold === bought) return;
    const isZeroIn = sold < bought;
    const [token0, token1] = isZeroIn ? [sold, bought] : [bought, sold];
    const words = [exchange, token0, token1].map(addressWord);
    const pool = evmPool(keccak256(`0x${words.join('')}`));
    const place = { pool, venue: WOOFI_VENUE, vault: exchange, token0, token1, feePips: 0 };
    out.push({ kind: 'poolCreated', description: describeUnpriced(place), complete: false });
    const amounts = { isZeroIn, paid: uintAt(data, 0), received: uintAt(data, 1) };
    out.push(buildUnpricedSwap(log, pool, amounts));
  };
}

/** The same on every chain that has it; from WOOFi's documentation. */
const NEWEST = evmAddress('0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4');
/** With the same log; from WOOFi's documentation of 2023, and in recorded transactions. */
const EARLIER_OPTIMISM = evmAddress('0xd1778f9df3eee5473a9640f13682e3846f61febc');

export const woofi: VenueProtocol = {
  ...UNPRICED,
  swapTopics: { [SWAP_TOPIC]: 'WOOFi', [OLD_SWAP_TOPIC]: 'WOOFi, older' },
  contracts: {
    ...{ base: { woofi: [NEWEST] }, arbitrum: { woofi: [NEWEST] } },
    optimism: { woofi: [NEWEST, EARLIER_OPTIMISM] },
    ...{ polygon: { woofi: [NEWEST] }, bsc: { woofi: [NEWEST] } },
  },
  listVenues: ({ woofi: exchanges = [] }) => (exchanges.length === 0 ? [] : [WOOFI_VENUE]),
  listVaults: ({ woofi: exchanges = [] }) => exchanges,
  listTokenVaults: ({ woofi: exchanges = [] }) => exchanges.map((one) => [one, SOLD_AT]),
  createDecoders: ({ woofi: exchanges = [] }) =>
    new Map(exchanges.length === 0 ? [] : [[SWAP_TOPIC, createDecoder(exchanges)]]),
  describeLogs: ({ woofi: exchanges = [] }) => {
    if (exchanges.length === 0) return null;
    const tokensAt = [SOLD_AT, SOLD_AT + 1];
    const creations = [{ contracts: exchanges, topic: SWAP_TOPIC, tokensAt }];
    return { creations, poolTopics: [], singleton: null };
  },
  resolvePools: async () => [],
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** The newest first; absent if there is none. */
    readonly woofi?: readonly Address[];
  }
}
