// The logs of Balancer V2 that change what a weighted pool holds or charges. They name the pool by
// its word or emit from its contract, and concern all its rows (`shared-rows.ts`). Of other pools
// they are dropped where it is known what a pool is.

import type { Address } from '../../../../model/ids.ts';
import type { PoolChange } from '../../../../model/pool.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, LogDecoder } from '../../data/evm-log.ts';
import {
  decodeAddressAt,
  hasWordAt,
  hasWords,
  intAt,
  toTopicAddress,
  uintAt,
} from '../../data/hex-data.ts';
import { findWordContract } from './vault-rows.ts';

export const BALANCER_SWAP_TOPICS = {
  2: '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b',
  3: '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db',
} as const;

/** By the vault. */
const BALANCE_CHANGED = '0xe5ce249087ce04f05a957192435400fd97868dba0e6a4b4c049abf8af80dae78';
const BALANCE_MANAGED = '0x6edcaf6241105b4c94c2efdbf3a6b12458eb3d07be3a0e81d24b13c44045fe7a';
/** By the pool. */
const SWAP_FEE_CHANGED = '0xa9ba3ffe0b6c366b81232caab38605a0699ad5398d6cce76f91ee809e322dafc';
const PAUSED_CHANGED = '0x9e3a5e37224532dea67b89face185703738a228a6e8a23dee546960180d3be64';

export const VAULT_TOPICS = [BALANCE_CHANGED, BALANCE_MANAGED];
export const POOL_TOPICS = [SWAP_FEE_CHANGED, PAUSED_CHANGED];

type WeightedChange = Extract<PoolChange, { readonly poolKind: 'weighted' }>;

const WORD_BYTES = 32n;
/** More tokens than any pool has. */
const TOKENS_MAX = 64n;

function changePool(contract: Address, change: WeightedChange): DecodedEvent {
  return { kind: 'poolChanged', pool: toPoolId(contract), change };
}

/** What a swap changes in its whole pool. */
export function changeBalances(
  contract: Address,
  deltas: Readonly<Record<string, bigint>>,
): DecodedEvent {
  return changePool(contract, { poolKind: 'weighted', deltas });
}

/** Where the items of a list are whose offset is this word; null if it is not whole. */
function findList(data: string, head: number): { at: number; count: number } | null {
  if (!hasWordAt(data, head)) return null;
  const offset = uintAt(data, head);
  const place = offset / WORD_BYTES;
  if (offset % WORD_BYTES !== 0n || place > 4n * TOKENS_MAX) return null;
  const at = Number(place);
  if (!hasWordAt(data, at)) return null;
  const count = uintAt(data, at);
  if (count > TOKENS_MAX || !hasWordAt(data, at + Number(count))) return null;
  return { at: at + 1, count: Number(count) };
}

/** Liquidity that came or went, and what of it is the protocol's. */
const decodeBalanceChanged: LogDecoder = ({ topics, data }, out) => {
  const contract = findWordContract(topics[1] ?? '');
  const [tokens, deltas, fees] = [0, 1, 2].map((head) => findList(data, head));
  if (contract === null || topics.length !== 3 || !tokens || !deltas || !fees) return;
  if (deltas.count !== tokens.count || fees.count !== tokens.count) return;
  const changes = Array.from({ length: tokens.count }, (_, index) => [
    decodeAddressAt(data, tokens.at + index),
    intAt(data, deltas.at + index) - uintAt(data, fees.at + index),
  ]);
  out.push(changeBalances(contract, Object.fromEntries(changes)));
};

/** A manager of the pool's assets took or returned some, or told what they earned. */
const decodeBalanceManaged: LogDecoder = ({ topics, data }, out) => {
  const [contract, token] = [findWordContract(topics[1] ?? ''), toTopicAddress(topics[3])];
  if (contract === null || token === null || !hasWords(data, 2)) return;
  const delta = intAt(data, 0) + intAt(data, 1);
  if (delta !== 0n) out.push(changeBalances(contract, { [token]: delta }));
};

const decodeSwapFee: LogDecoder = ({ address, topics, data }, out) => {
  if (topics.length !== 1 || !hasWords(data, 1)) return;
  const set = { swapFee: uintAt(data, 0) };
  out.push(changePool(address, { poolKind: 'weighted', set }));
};

const decodePaused: LogDecoder = ({ address, topics, data }, out) => {
  if (topics.length !== 1 || !hasWords(data, 1)) return;
  out.push(changePool(address, { poolKind: 'weighted', isPaused: uintAt(data, 0) !== 0n }));
};

/** For these vaults, and pools of any. */
export function createVaultDecoders(
  vaults: ReadonlySet<Address>,
): readonly (readonly [topic: string, decode: LogDecoder])[] {
  const ofVaults =
    (decode: LogDecoder): LogDecoder =>
    (log, out) => {
      if (vaults.has(log.address)) decode(log, out);
    };
  return [
    [BALANCE_CHANGED, ofVaults(decodeBalanceChanged)],
    [BALANCE_MANAGED, ofVaults(decodeBalanceManaged)],
    [SWAP_FEE_CHANGED, decodeSwapFee],
    [PAUSED_CHANGED, decodePaused],
  ];
}
