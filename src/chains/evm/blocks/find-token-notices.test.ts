// Which logs give notices about a token: honest swaps of any shape give none.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { toEventSelector } from 'viem';
import {
  address,
  createSceneAdapter,
  endScene,
  LINKED,
  recordChain,
  startNode,
  topic,
} from '../../../../test/fakes/chain-scene.ts';
import { poolId, address as toAddress, transactionId } from '../../../../test/test-ids.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { TokenNotice } from '../../../model/token-notice.ts';
import type { DecodedSwap, EvmLog } from '../data/evm-log.ts';
import { uintWord } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
import { SYNC_TOPIC } from '../venues/uniswap-v2/decode-uniswap-v2.ts';
import { findTokenNotices } from './find-token-notices.ts';

after(endScene);

const [PAIR, OTHER_PAIR, V3_POOL] = [address(0x9a1), address(0x9a2), address(0x9a3)];
const [V4_POOL, MANAGER] = [`0x${'f4'.repeat(32)}`, address(0x9a4)] as const;
type V4Pool = typeof V4_POOL;
const TX_HASH = transactionId('0xaa');
const [TOKEN, WETH] = [address(0x70c), address(0xe7)];
const [WALLET, OWNER] = [address(0x7), address(0x0e)];
const SWAP_TOPIC = `0x${'51'.repeat(32)}`;
const BURN_TOPIC = `0x${'b1'.repeat(32)}`;

type Part =
  | {
      readonly move: readonly [from: Address, to: Address, amount: number];
      readonly token?: Address;
    }
  | { readonly swap: readonly [amount0: number, amount1: number]; readonly pool?: Address | V4Pool }
  | { readonly log: string; readonly of: Address };

/** The contract that speaks for a pool. */
function findVault(pool: Address | V4Pool): Address {
  return pool === V4_POOL ? MANAGER : toAddress(pool);
}

function buildDescription(pool: Address | V4Pool): PoolDescription {
  const vault = findVault(pool);
  const shared = {
    pool: poolId(pool),
    token0: TOKEN,
    token1: WETH,
    venue: 'v',
    feePips: 3000,
    vault,
  };
  const terms = { tickSpacing: 60, custody: { kind: 'own' } } as const;
  return pool === V3_POOL || pool === V4_POOL
    ? { ...shared, kind: 'concentrated', terms }
    : { ...shared, kind: 'constantProduct', terms: null };
}

const POOLS = new Map(
  [PAIR, OTHER_PAIR, V3_POOL, V4_POOL].map((pool) => [poolId(pool), buildDescription(pool)]),
);

function buildLog(part: Part, logIndex: number): EvmLog {
  const at = { block: 5, blockHash: '0x5', txHash: TX_HASH, logIndex, timestampMs: null };
  if ('log' in part) return { ...at, address: part.of, topics: [part.log], data: '0x' };
  if ('swap' in part) {
    return { ...at, address: findVault(part.pool ?? PAIR), topics: [SWAP_TOPIC], data: '0x' };
  }
  const [from, to, amount] = part.move;
  const topics = [TRANSFER_TOPIC, topic(from), topic(to)];
  return { ...at, address: part.token ?? TOKEN, topics, data: `0x${uintWord(amount)}` };
}

/** One transaction; amounts of a swap are from the pool's side, the token's first. */
function find(parts: readonly Part[], { allLogs = false } = {}): TokenNotice[] {
  const events = parts.flatMap((part, logIndex): DecodedSwap[] => {
    if (!('swap' in part)) return [];
    const [amount0, amount1] = part.swap.map(BigInt) as [bigint, bigint];
    const origin = { kind: 'swap', txHash: TX_HASH, logIndex } as const;
    const rest = { pool: poolId(part.pool ?? PAIR), amount0, amount1, change: null };
    return [{ ...origin, ...rest }];
  });
  const block = { block: 5, blockHash: '0x5', timestampMs: null };
  return findTokenNotices({
    logs: parts.map(buildLog),
    accepted: [{ ...block, events, swapTxHashes: new Set([TX_HASH]) }],
    findPool: (pool) => POOLS.get(pool),
    venueTopics: new Set([SWAP_TOPIC, SYNC_TOPIC]),
    allLogs,
  });
}

const buildTax = (side: 'in' | 'out', bps: number, payee: string | null = null) => {
  return { kind: 'tax', token: TOKEN, pool: PAIR, side, bps, payee };
};
const weth = (from: Address, to: Address, amount: number): Part => {
  return { move: [from, to, amount], token: WETH };
};
const SYNC: Part = { log: SYNC_TOPIC, of: PAIR };
const FEES: Part = { log: toEventSelector('Fees(address,uint256,uint256)'), of: PAIR };
const WIDE_SYNC: Part = { log: toEventSelector('Sync(uint256,uint256)'), of: PAIR };

describe('a tax in real swaps', () => {
  const cases: readonly (readonly [string, readonly Part[], readonly object[]])[] = [
    [
      'an honest buy',
      [weth(WALLET, PAIR, 50), { move: [PAIR, WALLET, 10_000] }, SYNC, { swap: [-10_000, 50] }],
      [],
    ],
    [
      'an honest sale',
      [{ move: [WALLET, PAIR, 10_000] }, weth(PAIR, WALLET, 50), SYNC, { swap: [10_000, -50] }],
      [],
    ],
    [
      'a buy of which the owner gets a part',
      [{ move: [PAIR, WALLET, 9700] }, { move: [PAIR, OWNER, 300] }, SYNC, { swap: [-10_000, 50] }],
      [buildTax('out', 300)],
    ],
    [
      'a buy of which a part is gone without a word',
      [{ move: [PAIR, WALLET, 1000] }, SYNC, { swap: [-10_000, 50] }],
      [buildTax('out', 9000)],
    ],
    [
      'an honest sale whose fee leaves the pair',
      [
        ...[{ move: [WALLET, PAIR, 10_000] } as const, weth(PAIR, WALLET, 50)],
        ...[
          { move: [PAIR, OWNER, 30] } as const,
          FEES,
          WIDE_SYNC,
          { swap: [10_000, -50] } as const,
        ],
      ],
      [],
    ],
    [
      'a buy with a tax where the fee leaves the pair',
      [{ move: [PAIR, WALLET, 1000] }, FEES, WIDE_SYNC, { swap: [-10_000, 50] }],
      [buildTax('out', 9000)],
    ],
    [
      'a sale of which the owner gets a part',
      [{ move: [WALLET, OWNER, 700] }, { move: [WALLET, PAIR, 9300] }, SYNC, { swap: [9300, -50] }],
      [buildTax('in', 700, OWNER)],
    ],
    [
      'a sale of which less arrives than the event says',
      [{ move: [WALLET, PAIR, 10_000] }, SYNC, { swap: [9300, -50] }],
      [buildTax('in', 700)],
    ],
    [
      'two honest swaps of one pool',
      [
        { move: [PAIR, WALLET, 10_000] },
        ...[SYNC, { swap: [-10_000, 50] } as const],
        { move: [PAIR, WALLET, 9000] },
        ...[SYNC, { swap: [-9000, 50] } as const],
      ],
      [],
    ],
    [
      'a sale split over two pools',
      [
        { move: [WALLET, PAIR, 5000] },
        { move: [WALLET, OTHER_PAIR, 5000] },
        ...[SYNC, { swap: [5000, -25] } as const],
        { swap: [5000, -25], pool: OTHER_PAIR },
      ],
      [],
    ],
    [
      'a sale split over a pair and a V4 pool, which is paid before and after it',
      [
        { swap: [4000, -20], pool: V4_POOL },
        { move: [WALLET, MANAGER, 4000] },
        { move: [WALLET, PAIR, 5000] },
        { move: [WALLET, MANAGER, 1000] },
        ...[SYNC, { swap: [5000, -25] } as const],
      ],
      [],
    ],
    [
      'a V4 pool that pays a pair and a wallet',
      [
        { swap: [-9000, 45], pool: V4_POOL },
        { move: [MANAGER, PAIR, 5000] },
        { move: [MANAGER, WALLET, 4000] },
        ...[SYNC, { swap: [5000, -25] } as const],
      ],
      [],
    ],
    [
      'a sale of which the owner gets a part, beside a V4 pool',
      [
        { swap: [4000, -20], pool: V4_POOL },
        { move: [WALLET, MANAGER, 4000] },
        { move: [WALLET, PAIR, 9300] },
        { move: [WALLET, OWNER, 700] },
        ...[SYNC, { swap: [9300, -50] } as const],
      ],
      [buildTax('in', 700, OWNER)],
    ],
    [
      'liquidity taken out before a swap',
      [
        { move: [PAIR, WALLET, 777] },
        { log: BURN_TOPIC, of: PAIR },
        { move: [PAIR, WALLET, 10_000] },
        ...[SYNC, { swap: [-10_000, 50] } as const],
      ],
      [],
    ],
    [
      'a stray coin taken out before a swap',
      [
        { move: [WALLET, PAIR, 500] },
        { move: [PAIR, WALLET, 500] },
        { move: [WALLET, PAIR, 10_000] },
        ...[SYNC, { swap: [10_000, -50] } as const],
      ],
      [],
    ],
    [
      'a gift that the pair took (sync) before a swap',
      [
        { move: [WALLET, PAIR, 500] },
        SYNC,
        { move: [WALLET, PAIR, 10_000] },
        ...[SYNC, { swap: [10_000, -50] } as const],
      ],
      [],
    ],
    [
      'a loan of the token that comes back',
      [
        { move: [PAIR, WALLET, 10_000] },
        { move: [WALLET, PAIR, 3000] },
        ...[SYNC, { swap: [-7000, 50] } as const],
      ],
      [],
    ],
    ['a token that emits no transfers', [SYNC, { swap: [-10_000, 50] }], []],
    ['a trade of next to nothing', [{ move: [PAIR, WALLET, 5] }, { swap: [-6, 1] }], []],
    ['a unit lost to rounding', [{ move: [PAIR, WALLET, 99_999] }, { swap: [-100_000, 5] }], []],
  ];
  for (const [name, parts, expected] of cases) {
    test(`${name}`, () => assert.deepEqual(find(parts), expected));
  }

  test('of a concentrated pool, what it pays is checked, not what it takes', () => {
    const buy: Part[] = [{ move: [V3_POOL, WALLET, 9000] }, { swap: [-10_000, 5], pool: V3_POOL }];
    assert.deepEqual(find(buy), [{ ...buildTax('out', 1000), pool: V3_POOL }]);
    const sale: Part[] = [
      { move: [WALLET, V3_POOL, 10_000] },
      { move: [WALLET, OWNER, 50] },
      { swap: [10_000, -5], pool: V3_POOL },
    ];
    assert.deepEqual(find(sale), []);
  });
});

describe('events of contracts', () => {
  const other = `0x${'99'.repeat(32)}`;

  test('each contract is reported once; transfers, approvals and pools are left out', () => {
    const approval = toEventSelector('Approval(address,address,uint256)');
    const parts: Part[] = [
      { log: other, of: TOKEN },
      { log: other, of: TOKEN },
      { log: approval, of: TOKEN },
      { log: approval, of: WETH },
      { move: [WALLET, OWNER, 5] },
      SYNC,
    ];
    const event = { kind: 'event', token: TOKEN, topics: [other], isAdmin: false };
    assert.deepEqual(find(parts, { allLogs: true }), [event]);
    assert.deepEqual(find(parts), [], 'some of the logs are not enough to conclude anything');
  });

  test('changes of owner, code, roles and pauses are reported as such', () => {
    for (const signature of [
      'OwnershipTransferred(address,address)',
      'Upgraded(address)',
      'AdminChanged(address,address)',
      'Paused(address)',
      'Unpaused(address)',
      'RoleGranted(bytes32,address,address)',
    ]) {
      // However many other events it emits.
      const noise = Array.from({ length: 30 }, (_, n) => ({ log: `0x${n}`, of: TOKEN }));
      const parts = [...noise, { log: toEventSelector(signature), of: TOKEN }];
      const [notice, ...more] = find(parts, { allLogs: true });
      assert.ok(notice?.kind === 'event' && notice.isAdmin, signature);
      assert.ok(notice.topics.length <= 9);
      assert.equal(more.length, 0);
    }
  });
});

test('a range is searched only if all of its logs were read, and is marked otherwise', async () => {
  const chain = recordChain();
  const adapter = createSceneAdapter([await startNode(chain)]);
  const searched = await adapter.readBlocks(LINKED);
  const emitters = new Set(searched.notices?.map(({ token }) => token));
  assert.ok(emitters.has(address(0x401)), 'the stranger of the scene');
  const plain = await adapter.readBlocks({ ...LINKED, linked: false });
  assert.equal(plain.notices, null);
  const wished = await adapter.readBlocks({ ...LINKED, linked: false, searched: true });
  assert.deepEqual(wished.notices, searched.notices);
  assert.deepEqual(wished.headers, []);
});
