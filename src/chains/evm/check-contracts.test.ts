// What an operator's file says of a chain is checked against the chain, and every problem named.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { endScene, startNode } from '../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../test/fakes/memory-chain.ts';
import { RpcFault } from '../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../lib/clock.ts';
import { type ChainSlug, parseChainSlug } from '../../model/chain.ts';
import type { ChainContracts, FactoryEntry } from '../../model/chain-contracts.ts';
import { DOMAIN_SEPARATOR_SELECTOR, GET_BLOCK_NUMBER_SELECTOR } from './check-contracts.ts';
import { uintAt, uintWord } from './data/hex-data.ts';
import { EVM_FAMILY } from './evm-family.ts';
import { DECIMALS_SELECTOR, SYMBOL_SELECTOR } from './tokens/read-token-metadata.ts';
import { EVM_DEPLOYMENTS } from './venues/deployments.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from './venues/factory-pools.ts';
import {
  ALL_PAIRS_LENGTH_SELECTOR,
  GET_AMOUNT_OUT_SELECTOR,
  ROUTER_WRAPPED_SELECTOR,
} from './venues/uniswap-v2/pair-entries.ts';
import { GET_POOL_BY_STABLE_SELECTOR } from './venues/uniswap-v2/pair-selectors.ts';
import { POOL_BY_PAIR_SELECTOR } from './venues/uniswap-v3/pool-selectors.ts';
import {
  QUOTER_WRAPPED_SELECTOR,
  TICK_SPACING_OF_FEE_SELECTOR,
} from './venues/uniswap-v3/range-entries.ts';
import { POOL_MANAGER_SELECTOR } from './venues/uniswap-v4/v4-entries.ts';
import { GET_SLOT0_SELECTOR } from './venues/uniswap-v4/v4-storage.ts';

afterEach(endScene);

const SLUG = parseChainSlug('my-chain') ?? assert.fail();
const at = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const word = (text: string) => `0x${text.slice(2).padStart(64, '0')}`;
const number = (value: number | bigint) => `0x${uintWord(value)}`;
const SYMBOL = `0x${Buffer.from('TKN').toString('hex').padEnd(64, '0')}`;

const [WRAPPED, STABLE, ANCHOR, V2, ROUTER, V3, QUOTER] = [1, 2, 3, 4, 5, 6, 7].map(at) as [
  ...[string, string, string, string, string, string, string],
];
const [MANAGER, POSITIONS, VIEW, V4_QUOTER, UNIVERSAL, PERMIT2, MULTICALL] = [
  ...[11, 12, 13, 14, 15, 16, 17],
].map(at) as [...[string, string, string, string, string, string, string]];

const CONTRACTS: ChainContracts = {
  ...{ kind: 'own', chainId: 4242, native: { symbol: 'MINE', decimals: 18 }, wrapped: WRAPPED },
  ...{ wrappedEmitsTransfers: false, finalityDepth: 64, rollup: null },
  ...{ stables: [STABLE], anchorPools: [ANCHOR] },
  factories: [
    ...(
      [
        { kind: 'v2', venue: 'own-v2', factory: V2, feePips: 3000, router: ROUTER },
        { kind: 'v3', venue: 'own-v3', factory: V3, quoter: QUOTER, feeTiers: [500, 3000] },
      ] as const
    ).map((one) => ({ ...one, universalRouter: true }) as FactoryEntry),
    {
      ...{ kind: 'v4', venue: 'own-v4', poolManager: MANAGER, positionManager: POSITIONS },
      ...{ stateView: VIEW, quoter: V4_QUOTER },
    },
  ],
  universalRouter: { address: UNIVERSAL, version: '2.0' },
  ...{ permit2: PERMIT2, multicall3: MULTICALL },
};

/** What `getAmountOut(1e24, 1e30, 1e30)` of a router pays that leaves `kept` of `of`. */
function computePaid(kept: bigint, of: bigint): bigint {
  const [amountIn, reserve] = [10n ** 24n, 10n ** 30n];
  return (amountIn * kept * reserve) / (reserve * of + amountIn * kept);
}

/** What honest contracts answer, by address and selector. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [WRAPPED]: { [DECIMALS_SELECTOR]: number(18), [SYMBOL_SELECTOR]: SYMBOL },
  [STABLE]: { [DECIMALS_SELECTOR]: number(6), [SYMBOL_SELECTOR]: SYMBOL },
  [ANCHOR]: {
    ...{ [FACTORY_SELECTOR]: word(V2), [TOKEN0_SELECTOR]: word(WRAPPED) },
    [TOKEN1_SELECTOR]: word(STABLE),
  },
  [V2]: { [ALL_PAIRS_LENGTH_SELECTOR]: number(0) },
  [ROUTER]: {
    ...{ [FACTORY_SELECTOR]: word(V2), [ROUTER_WRAPPED_SELECTOR]: word(WRAPPED) },
    [GET_AMOUNT_OUT_SELECTOR]: number(computePaid(997n, 1000n)),
  },
  [V3]: { [TICK_SPACING_OF_FEE_SELECTOR]: number(60) },
  [QUOTER]: { [FACTORY_SELECTOR]: word(V3), [QUOTER_WRAPPED_SELECTOR]: word(WRAPPED) },
  [MANAGER]: {},
  [POSITIONS]: { [POOL_MANAGER_SELECTOR]: word(MANAGER) },
  [VIEW]: { [POOL_MANAGER_SELECTOR]: word(MANAGER) },
  [V4_QUOTER]: { [POOL_MANAGER_SELECTOR]: word(MANAGER) },
  [UNIVERSAL]: {},
  [PERMIT2]: { [DOMAIN_SEPARATOR_SELECTOR]: number(9) },
  [MULTICALL]: { [GET_BLOCK_NUMBER_SELECTOR]: number(1) },
};

interface CheckScene {
  readonly contracts?: ChainContracts;
  readonly chain?: ChainSlug;
  readonly chainId?: number;
  /** Instead of the honest answers of these contracts; null leaves one without code. */
  readonly changed?: Readonly<Record<string, Readonly<Record<string, string>> | null>>;
  /** Fees that the V3 factory does not know. */
  readonly unknownFees?: readonly number[];
}

async function check(scene: CheckScene = {}): Promise<readonly string[]> {
  const answers = { ...ANSWERS, ...scene.changed };
  const chain = new MemoryChain({
    ...{ chainId: scene.chainId ?? 4242, blockTimestamps: true },
    code: (to) => (answers[to] == null ? '0x' : '0x6001'),
    call: (to, data) => {
      const fee = data.length > 10 ? Number(uintAt(`0x${data.slice(10)}`, 0)) : 0;
      if (to === V3 && scene.unknownFees?.includes(fee)) return number(0);
      const answer = answers[to]?.[data.slice(0, 10)];
      if (answer === undefined) throw new RpcFault(3, 'execution reverted');
      return answer;
    },
  });
  const node = await startNode(chain);
  const nodes = EVM_FAMILY.markets?.open(
    {
      ...{ chain: scene.chain ?? SLUG, endpoints: [node.url], devnet: null },
      ...{ contracts: scene.contracts ?? CONTRACTS, startBlock: null, instance: null },
    },
    { clock: systemClock, log: { info: () => undefined, warn: () => undefined } },
  );
  try {
    return (await nodes?.checkContracts(new AbortController().signal)) ?? assert.fail();
  } finally {
    nodes?.close();
  }
}

describe('checkContracts', () => {
  it('finds nothing wrong with what is true', async () => {
    assert.deepEqual(await check(), []);
  });

  it("compares a V2 fork's fee with what its router pays", async () => {
    const router = ANSWERS[ROUTER] ?? assert.fail();
    const { [GET_AMOUNT_OUT_SELECTOR]: _paid, ...silent } = router;
    const dearer = { ...router, [GET_AMOUNT_OUT_SELECTOR]: number(computePaid(9975n, 10_000n)) };
    const path = `chains.${SLUG}.factories.0.router: ${ROUTER}`;
    assert.deepEqual(await check({ changed: { [ROUTER]: dearer } }), [
      `${path} charges about 2500 pips, not 3000: correct feePips`,
    ]);
    assert.deepEqual(await check({ changed: { [ROUTER]: silent } }), [
      `${path} does not tell its fee by getAmountOut(): leave the router out`,
    ]);
  });

  it('asks a factory of another layout to find a pool in its own way', async () => {
    const [pairs, pools] = [at(21), at(22)];
    const shared = { universalRouter: false } as const;
    const factories: FactoryEntry[] = [
      ...CONTRACTS.factories,
      {
        ...{ kind: 'v2', venue: 'my-solidly', factory: pairs, layout: 'solidly', ...shared },
        ...{ feePips: 0, router: null },
      },
      {
        ...{ kind: 'v3', venue: 'my-algebra', factory: pools, layout: 'algebra', ...shared },
        ...{ feeTiers: null, quoter: null },
      },
    ];
    const contracts = { ...CONTRACTS, factories };
    const solidly = { [GET_POOL_BY_STABLE_SELECTOR]: number(0) };
    const algebra = { [POOL_BY_PAIR_SELECTOR]: number(0) };
    assert.deepEqual(
      await check({ contracts, changed: { [pairs]: solidly, [pools]: algebra } }),
      [],
    );
    const problems = await check({ contracts, changed: { [pairs]: solidly, [pools]: solidly } });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^chains\.my-chain\.factories\.4\.factory: .*layout algebra/);
  });

  it('names every address without a contract', async () => {
    const changed = Object.fromEntries(Object.keys(ANSWERS).map((one) => [one, null]));
    const problems = await check({ changed });
    assert.deepEqual(
      problems.map((problem) => problem.replace(/^chains\.my-chain\.(\S+): .*$/, '$1')),
      [
        ...['factories.0.factory', 'factories.0.router', 'factories.1.factory'],
        ...['factories.1.quoter', 'factories.2.poolManager', 'factories.2.positionManager'],
        ...['factories.2.stateView', 'factories.2.quoter', 'stables.0', 'anchorPools.0'],
        ...['wrapped', 'universalRouter.address', 'permit2', 'multicall3'],
      ],
    );
    assert.equal(problems[0], `chains.my-chain.factories.0.factory: there is no contract at ${V2}`);
  });

  it('names contracts of another kind, all at once', async () => {
    const token = { [DECIMALS_SELECTOR]: number(6), [SYMBOL_SELECTOR]: SYMBOL };
    const problems = await check({
      changed: {
        ...{ [V2]: token, [V3]: token, [PERMIT2]: token, [MULTICALL]: token, [WRAPPED]: token },
        ...{ [STABLE]: { [DECIMALS_SELECTOR]: number(6) }, [ANCHOR]: token },
        [ROUTER]: { [FACTORY_SELECTOR]: word(V3), [ROUTER_WRAPPED_SELECTOR]: word(WRAPPED) },
        [QUOTER]: { [FACTORY_SELECTOR]: word(V3), [QUOTER_WRAPPED_SELECTOR]: word(STABLE) },
        [VIEW]: { [POOL_MANAGER_SELECTOR]: word(V2) },
      },
    });
    assert.deepEqual(
      problems.map((problem) => problem.replace('chains.my-chain.', '')),
      [
        `factories.0.factory: ${V2} is no V2 factory: it does not answer allPairsLength()`,
        `factories.0.router: ${ROUTER} names the factory ${V3}, not ${V2}`,
        `factories.1.factory: ${V3} is no V3 factory: it does not answer feeAmountTickSpacing()`,
        `factories.1.quoter: ${QUOTER} names the wrapped coin ${STABLE}, not ${WRAPPED}`,
        `factories.2.stateView: ${VIEW} names the pool manager ${V2}, not ${MANAGER}`,
        `stables.0: ${STABLE} is no token: it does not answer symbol()`,
        `anchorPools.0: ${ANCHOR} is no pool: it does not name its factory and tokens`,
        `wrapped: ${WRAPPED} has 6 decimals, the native coin 18`,
        `permit2: ${PERMIT2} is no Permit2: it does not answer DOMAIN_SEPARATOR()`,
        `multicall3: ${MULTICALL} is no Multicall3: it does not answer getBlockNumber()`,
      ],
    );
  });

  it('names fees that a V3 factory does not know', async () => {
    assert.deepEqual(await check({ unknownFees: [500] }), [
      `chains.my-chain.factories.1.factory: ${V3} does not know the fees 500`,
    ]);
  });

  it('refuses an anchor that prices something else, or of an unknown factory', async () => {
    for (const [answers, problem] of [
      [{ [TOKEN0_SELECTOR]: word(V2) }, /is not a pool of the wrapped coin against one of the/],
      [{ [TOKEN1_SELECTOR]: word(V2) }, /is not a pool of the wrapped coin against one of the/],
      [{ [FACTORY_SELECTOR]: word(at(99)) }, /is a pool of the factory 0x0+63, which is not known/],
    ] as const) {
      const problems = await check({ changed: { [ANCHOR]: { ...ANSWERS[ANCHOR], ...answers } } });
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
    }
  });

  it('refuses an anchor of a fork that nobody checked', async () => {
    const known = EVM_DEPLOYMENTS.base ?? assert.fail();
    const fork = known.v2.find(({ isSearched }) => isSearched === false) ?? assert.fail();
    const answers = {
      [FACTORY_SELECTOR]: word(fork.factory),
      [TOKEN0_SELECTOR]: word(known.wrapped),
      [TOKEN1_SELECTOR]: word(known.stables[0] ?? assert.fail()),
    };
    const contracts: ChainContracts = {
      ...{ kind: 'added', stables: [], anchorPools: [ANCHOR], factories: [] },
    };
    const scene = { contracts, chain: 'base', chainId: 8453 } as const;
    const [problem] = await check({ ...scene, changed: { [ANCHOR]: answers } });
    assert.match(problem ?? '', /anchorPools\.0: .* which is not known/);
    const uniswap = known.v2.find(({ isSearched }) => isSearched !== false) ?? assert.fail();
    const checked = { ...answers, [FACTORY_SELECTOR]: word(uniswap.factory) };
    assert.deepEqual(await check({ ...scene, changed: { [ANCHOR]: checked } }), []);
  });

  it('refuses a V4 anchor that does not exist', async () => {
    const id = `0x${'4'.repeat(64)}`;
    const contracts = { ...CONTRACTS, anchorPools: [id] };
    for (const [price, problems] of [
      [1, []],
      [0, [`chains.my-chain.anchorPools.0: ${VIEW} knows no pool ${id}`]],
    ] as const) {
      const slot0 = [price, 0, 0, 3000].map((value) => uintWord(value)).join('');
      const view = { ...ANSWERS[VIEW], [GET_SLOT0_SELECTOR]: `0x${slot0}` };
      assert.deepEqual(await check({ contracts, changed: { [VIEW]: view } }), problems);
    }
  });

  it('says that the endpoint serves another chain', async () => {
    assert.deepEqual(await check({ chainId: 5 }), [
      'chains.my-chain.chainId: no endpoint serves chain 4242; 127.0.0.1#0: serves chain 5, not 4242',
    ]);
  });

  it('checks only what is added to a built-in chain', async () => {
    const factory = { kind: 'v2', venue: 'own-v2', factory: V2, feePips: 3000 } as const;
    const contracts: ChainContracts = {
      ...{ kind: 'added', stables: [], anchorPools: [] },
      factories: [{ ...factory, router: null, universalRouter: false }],
    };
    const scene = { contracts, chain: 'base', chainId: 8453 } as const;
    assert.deepEqual(await check(scene), []);
    assert.deepEqual(await check({ ...scene, changed: { [V2]: null } }), [
      `chains.base.factories.0.factory: there is no contract at ${V2}`,
    ]);
  });
});

describe('a fork on a built-in chain', () => {
  const fork = (venue: string, factory: string): FactoryEntry => ({
    ...{ kind: 'v2', venue, factory, feePips: 2500, router: null, universalRouter: false },
  });
  const describeBase = (...factories: FactoryEntry[]) =>
    EVM_FAMILY.markets?.describe({
      ...{ chain: 'base', endpoints: [], devnet: null, startBlock: null, instance: null },
      contracts: { kind: 'added', stables: [], anchorPools: [], factories },
    });

  it('is indexed beside those that are built in, and not traded', () => {
    const market = describeBase(fork('own-v2', V2));
    assert.ok(market?.venues.includes('own-v2'));
    assert.ok(market?.venues.includes('uniswap-v3'));
    assert.ok(!market?.tradedVenues.has('own-v2'));
  });

  it('is traded through its own router, which is called as its layout says', () => {
    const router = `0x${'5'.repeat(40)}`;
    const place = { universalRouter: false, quoter: null, feeTiers: null, router } as const;
    const market = describeBase(
      { ...fork('own-v2', V2), router } as FactoryEntry,
      { kind: 'v3', venue: 'own-v3', factory: `0x${'6'.repeat(40)}`, ...place },
      {
        kind: 'v3',
        venue: 'own-cl',
        factory: `0x${'7'.repeat(40)}`,
        layout: 'slipstream',
        ...place,
      },
    );
    const own = market?.routers?.filter(({ name }) => name.startsWith('own-')) ?? [];
    assert.deepEqual(
      own.map(({ name, venues, isProven }) => [name, ...venues, isProven]),
      [
        ['own-v3', 'own-v3', true],
        ['own-cl', 'own-cl', false],
        ['own-v2', 'own-v2', true],
      ],
    );
    assert.ok(own.every(({ name }) => market?.tradedVenues.has(name)));
  });

  it('must not have the name of a router, which would be used in its place', () => {
    const router = `0x${'5'.repeat(40)}`;
    for (const name of ['universal', 'pancakeswap']) {
      assert.throws(() => describeBase({ ...fork(name, V2), router } as FactoryEntry), {
        name: 'ContractsError',
        problems: [
          `chains.base.factories: a router has the name ${name} already; rename the venue`,
        ],
      });
    }
  });

  it('must not repeat a venue or a factory', () => {
    const known = '0x8909dc15e40173ff4699343b6eb8132c65e18ec6';
    const forks = [fork('sushiswap-v2', V2), fork('curve', V3), fork('own-v2', known)];
    assert.throws(() => describeBase(...forks), {
      name: 'ContractsError',
      problems: [
        'chains.base.factories: there is a venue sushiswap-v2 already',
        'chains.base.factories: there is a venue curve already',
        `chains.base.factories: ${known} is that of uniswap-v2 already`,
      ],
    });
  });
});
