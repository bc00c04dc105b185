// The operator's file of chains: what it may say, and that every mistake is named with its path.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseChainsFile } from './parse-chains-file.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;

const V2 = { kind: 'v2', venue: 'own-v2', factory: address('a'), feePips: 2500 };
const V3 = { kind: 'v3', venue: 'own-v3', factory: address('b') };
const V4 = {
  ...{ kind: 'v4', venue: 'own-v4', poolManager: address('c'), positionManager: address('d') },
  ...{ stateView: address('e'), quoter: address('f') },
};

const OWN = {
  ...{ name: 'My chain', chainId: 4242, native: { symbol: 'MINE', decimals: 18 } },
  ...{ explorerUrl: 'https://scan.example/', finalityDepth: 12, rollup: 'optimism' },
  wrapped: address('1'),
  stables: [address('2')],
  anchorPools: [address('3'), `0x${'4'.repeat(64)}`],
  factories: [{ ...V2, universalRouter: true, router: address('5') }, V3, V4],
  universalRouter: { address: address('6'), version: '2.0' },
  ...{ permit2: address('7'), multicall3: address('8') },
};

function parse(chains: unknown) {
  const problems: string[] = [];
  const found = parseChainsFile(JSON.stringify({ chains }), problems);
  return { found, problems };
}

describe('parseChainsFile', () => {
  it('reads a chain of its own in full', () => {
    const { found, problems } = parse({ 'my-chain': OWN });
    assert.deepEqual(problems, []);
    assert.deepEqual(found[0]?.info, {
      ...{ slug: 'my-chain', name: 'My chain', caip2: 'eip155:4242', family: 'evm' },
      ...{ chainId: 4242, native: { symbol: 'MINE', decimals: 18 } },
      explorerUrl: 'https://scan.example',
    });
    const { factories, ...rest } = { ...OWN, kind: 'own' };
    const { name: _, explorerUrl: __, ...contracts } = rest;
    assert.deepEqual(found[0]?.contracts, {
      ...contracts,
      wrappedEmitsTransfers: false,
      factories: [
        factories[0],
        { ...V3, quoter: null, feeTiers: null, universalRouter: false },
        V4,
      ],
    });
  });

  it('reads which router a fork of V3 has', () => {
    const pools = { kind: 'v3', venue: 'my-v3', factory: address('d'), router: address('e') };
    const read = (more: object) => parse({ base: { factories: [{ ...pools, ...more }] } });
    const { found, problems } = read({ routerKind: 'swapRouter02' });
    assert.deepEqual(problems, []);
    const [entry] = found[0]?.contracts.factories ?? [];
    assert.ok(entry?.kind === 'v3' && entry.routerKind === 'swapRouter02');
    assert.deepEqual(read({ routerKind: 'router02' }).problems, [
      'chains.base.factories.0.routerKind must be one of "swapRouter", "swapRouter02"',
    ]);
    assert.deepEqual(read({ routerKind: 'swapRouter', router: null }).problems.length > 0, true);
  });

  it('takes any name but those with a meaning of their own', () => {
    assert.deepEqual(parse({ constructor: OWN }).problems, []);
    assert.deepEqual(parse({ eip155: OWN }).problems, [
      'chains.eip155 cannot be used: it is the name of all EVM chains in wallet ids',
    ]);
  });

  it('reads the router of an exchange, if its layout has one that is called', () => {
    const router = address('e');
    const pairs = { kind: 'v2', venue: 'my-solidly', factory: address('c'), layout: 'solidly' };
    const pools = { kind: 'v3', venue: 'my-v3', factory: address('d'), router };
    const { found, problems } = parse({ base: { factories: [{ ...pairs, router }, pools] } });
    assert.deepEqual(problems, []);
    const routers = found[0]?.contracts.factories.map((one) => one.kind !== 'v4' && one.router);
    assert.deepEqual(routers, [router, router]);
    const forked = { ...pairs, layout: 'solidlyFork', router };
    assert.deepEqual(parse({ base: { factories: [forked] } }).problems, [
      'chains.base.factories.0.router must be left out: routers of the layout solidlyFork are not called',
    ]);
  });

  it('reads factories of other layouts, whose fees are not named', () => {
    const pairs = { kind: 'v2', venue: 'my-solidly', factory: address('c'), layout: 'solidly' };
    const pools = { kind: 'v3', venue: 'my-algebra', factory: address('d'), layout: 'algebra' };
    const { found, problems } = parse({ base: { factories: [pairs, pools] } });
    assert.deepEqual(problems, []);
    assert.deepEqual(found[0]?.contracts.factories, [
      { ...pairs, feePips: 0, router: null, universalRouter: false },
      { ...pools, feeTiers: null, quoter: null, universalRouter: false },
    ]);
    const wrong = parse({
      base: {
        factories: [
          { ...pairs, feePips: 3000 },
          { ...pools, layout: 'solidly' },
        ],
      },
    });
    assert.equal(wrong.problems.length, 2);
    assert.match(wrong.problems[0] ?? '', /^chains\.base\.factories\.0/);
    assert.match(wrong.problems[1] ?? '', /factories\.1\.layout must be one of "uniswap", /);
  });

  it('needs little: an id, the coin, its wrapped token and a factory', () => {
    const { chainId, wrapped } = OWN;
    const { found, problems } = parse({
      mine: { chainId, native: { symbol: 'MINE' }, wrapped, factories: [V2] },
    });
    assert.deepEqual(problems, []);
    assert.equal(found[0]?.info.name, 'mine');
    assert.equal(found[0]?.info.native.decimals, 18);
    const { contracts } = found[0] ?? assert.fail();
    assert.ok(contracts.kind === 'own');
    assert.equal(contracts.finalityDepth, 64);
    assert.equal(contracts.universalRouter, null);
  });

  it('adds a fork to a built-in chain in one line', () => {
    const { found, problems } = parse({ base: { factories: [V2] } });
    assert.deepEqual(problems, []);
    assert.equal(found[0]?.info.slug, 'base');
    assert.deepEqual(found[0]?.contracts, {
      ...{ kind: 'added', stables: [], anchorPools: [] },
      factories: [{ ...V2, router: null, universalRouter: false }],
    });
  });

  it('stores addresses in lower case', () => {
    const factory = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
    const { found } = parse({ base: { factories: [{ ...V2, factory }] } });
    const [entry] = found[0]?.contracts.factories ?? [];
    assert.equal(entry?.kind === 'v2' && entry.factory, factory.toLowerCase());
  });

  it('names every mistake at once', () => {
    const { problems } = parse({
      'My Chain': {},
      solana: { factories: [] },
      devnet: {},
      base: { chainId: 8453, factories: [{ ...V2, universalRouter: true }, V4], stables: 'USDC' },
      mine: {
        chainId: 1,
        native: { symbol: '', decimals: 99, name: 'x' },
        explorerUrl: 'http://scan.example',
        wrapped: '0x12',
        stables: [address('2'), address('2')],
        anchorPools: ['0x1234'],
        finalityDepth: 0,
        rollup: 'zk',
        factories: [
          { kind: 'v5' },
          { kind: 'v2', venue: 'Own V2', factory: address('0'), feePips: '30' },
          { ...V3, feeTiers: [] },
          { ...V3, universalRouter: true },
        ],
        universalRouter: { version: '1.2' },
        typo: 1,
      },
    });
    assert.deepEqual(problems, [
      'chains.My Chain must be 2 to 32 lower-case letters, digits and dashes, a letter first',
      'chains.solana cannot be changed: only EVM chains can be described',
      'chains.devnet cannot be changed: the devnet describes itself',
      'chains.base.stables must be a list',
      "chains.base.factories.0.universalRouter must be false: the chain's Universal Router knows Uniswap only",
      'chains.base.factories.1.kind must be "v2" or "v3": built-in chains have their V4',
      'chains.base.chainId is not a known field',
      'chains.mine.chainId is that of ethereum: put the entry under that name',
      'chains.mine.native.symbol must be 1 to 16 printable ASCII characters',
      'chains.mine.native.decimals must be a whole number from 0 to 36',
      'chains.mine.native.name is not a known field',
      'chains.mine.explorerUrl must be a URL with https://',
      'chains.mine.wrapped must be an address: 0x and 40 hex digits, not all 0',
      'chains.mine.finalityDepth must be a whole number from 1 to 1000000',
      'chains.mine.rollup must be one of "arbitrum", "optimism"',
      'chains.mine.universalRouter.address is missing',
      'chains.mine.universalRouter.version must be one of "2.0", "2.1", "2.1.1"',
      'chains.mine.anchorPools.0 must be a pool: 0x and 40 hex digits, or 64 for a V4 pool',
      'chains.mine.factories.0.kind must be one of "v2", "v3", "v4"',
      'chains.mine.factories.1.venue must be 2 to 40 lower-case letters, digits and dashes, a letter first',
      'chains.mine.factories.1.factory must be an address: 0x and 40 hex digits, not all 0',
      'chains.mine.factories.1.feePips must be a whole number from 0 to 999999',
      'chains.mine.factories.2.feeTiers must be a list of 1 to 32 fees in pips',
      `chains.mine.stables.1 repeats ${address('2')} of stables.0`,
      `chains.mine.factories.3 repeats ${address('b')} of factories.2`,
      'chains.mine.factories.3 repeats own-v3 of factories.2',
      'chains.mine.permit2 is missing: the Universal Router takes tokens through it',
      'chains.mine.typo is not a known field',
    ]);
  });

  it('refuses routers that cannot work together', () => {
    const routed = { ...V2, universalRouter: true };
    const second = { ...routed, venue: 'other-v2', factory: address('9') };
    const { universalRouter: _, ...without } = OWN;
    const { problems } = parse({ mine: { ...without, factories: [routed, second, V4, V4] } });
    assert.deepEqual(problems, [
      `chains.mine.factories.3 repeats ${address('c')} of factories.2`,
      'chains.mine.factories.3 repeats own-v4 of factories.2',
      'chains.mine.factories has several v2 entries with universalRouter: it knows one',
      'chains.mine.universalRouter is missing: a v2 factory is to be traded through it',
      'chains.mine.factories has several v4 entries',
    ]);
  });

  it("says what to do about the devnet's id", () => {
    const { problems } = parse({ mine: { ...OWN, chainId: 1337 } });
    assert.deepEqual(problems, [
      'chains.mine.chainId is that of devnet: start the node of your chain with another id',
    ]);
  });

  it('refuses two chains with one id, and a name that is there twice', () => {
    const { problems } = parse({ one: OWN, two: OWN });
    assert.deepEqual(problems, ['chains.two.chainId is that of chains.one, too']);
    const twice: string[] = [];
    parseChainsFile('{"chains": {"base": {}, "base": {}}}', twice);
    assert.deepEqual(twice, ['chains.base is in the file twice']);
  });

  it('refuses what is no such file', () => {
    for (const [text, problem] of [
      ['{', /^the file is not JSON: /],
      ['[]', /^the file must be an object$/],
      ['{}', /^chains is missing$/],
      ['{"chains": []}', /^chains must be an object with a chain for each name$/],
      ['{"chains": {"base": 1}}', /^chains\.base must be an object$/],
    ] as const) {
      const problems: string[] = [];
      parseChainsFile(text, problems);
      assert.match(problems[0] ?? '', problem, text);
    }
  });
});
