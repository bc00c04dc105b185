// Renders docs/venues.md from the deployments: what is read, priced and traded on each chain.

import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { EVM_DEPLOYMENTS } from '../src/chains/evm/venues/deployments.ts';
import { ROUTER_KINDS } from '../src/chains/evm/venues/registry.ts';
import { listSwapRouters, type SwapRouter } from '../src/chains/evm/venues/swap-routers.ts';
import type { V2Fork } from '../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import type { V3Fork } from '../src/chains/evm/venues/uniswap-v3/v3-layouts.ts';
import type { V2LayoutName, V3LayoutName } from '../src/model/chain-contracts.ts';

interface VenueRow {
  readonly venue: string;
  readonly pools: string;
  /** How exactly swaps are computed. */
  readonly priced: string;
  readonly contract: string;
}

const TIMED = 'last fee: it depends on the time of the block (`timedFee`)';
const NOT_PRICED = 'no: trades only';
const CALLED = 'by a call, direct trades only (`called`)';

const V2_POOLS: Readonly<Record<NonNullable<V2Fork['layout']>, readonly [string, string]>> = {
  uniswap: ['V2 pairs', 'to the unit'],
  solidly: [
    'volatile and stable pairs',
    'to the unit if the fee was read lately (otherwise `unannouncedFee`): it may change without an event, and is read while quotes use the pool',
  ],
  solidlyFork: ['volatile and stable pairs', 'no: the fee is not read (`feeUnknown`)'],
  camelot: ['V2 pairs, stable ones too, a fee for each direction', 'to the unit'],
};

const V3_POOLS: Readonly<Record<NonNullable<V3Fork['layout']>, readonly [string, string]>> = {
  uniswap: ['V3 pools', 'to the unit'],
  slipstream: ['V3 pools of Slipstream', TIMED],
  algebra: ['V3 pools of Algebra', TIMED],
  solidlyV3: ['V3 pools of Solidly', 'to the unit'],
  kyberElastic: ['V3 pools of Kyber Elastic', NOT_PRICED],
  algebraDirectional: ['V3 pools of Algebra, a fee for each direction', TIMED],
  algebraIntegral: [
    'V3 pools of Algebra Integral',
    'to the unit where no plugin is called before swaps; otherwise last fee, read while quotes use the pool (`timedFee`), or as told by the last swap (`pluginFee`)',
  ],
};

function listForks({ v2, v3 }: Pick<EvmDeployment, 'v2' | 'v3'>): VenueRow[] {
  return [
    ...v2.map(({ venue, layout = 'uniswap', factory, isFeeUnchecked }) => {
      const [pools, priced] = V2_POOLS[layout];
      const unchecked = 'claimed fee (`feeUnchecked`)';
      return { venue, pools, priced: isFeeUnchecked ? unchecked : priced, contract: factory };
    }),
    ...v3.map(({ venue, layout = 'uniswap', factory }) => {
      const [pools, priced] = V3_POOLS[layout];
      return { venue, pools, priced, contract: factory };
    }),
  ];
}

function listModules(modules: readonly { readonly contract: string }[] = []): string | undefined {
  return modules.length === 0 ? undefined : modules.map(({ contract }) => contract).join(', ');
}

function listOthers(deployment: EvmDeployment): VenueRow[] {
  const { v4, balancer = [], curve = [], infinity, dodo, maverick } = deployment;
  const { fluid, fourMeme, sky, pancakeStable, woofi, eulerSwap = [] } = deployment;
  const { liquidityBook = [] } = deployment;
  const rows: VenueRow[] = [];
  if (v4 !== null) {
    const priced = 'to the unit; where a hook decides, by asking it';
    rows.push({ venue: v4.venue, pools: 'V4 pools', priced, contract: v4.poolManager });
  }
  if (curve.length > 0) {
    const priced =
      'StableSwap NG to the unit, unless rates move (`movingRates`) or the curve does (`ramping`); metapools and others by a call, direct trades only (`called`)';
    const place = { venue: 'curve', pools: 'pools of two to eight coins', priced };
    rows.push({ ...place, contract: curve.join(', ') });
  }
  if (pancakeStable !== undefined) {
    const priced =
      'to the unit, unless A moves (`ramping`); those that hold the native coin are not quoted';
    const place = { venue: 'pancakeswap-stable', pools: 'pools of two or three coins', priced };
    rows.push({ ...place, contract: pancakeStable.join(', ') });
  }
  for (const { venue, vault, weighted } of balancer) {
    const priced =
      weighted === undefined
        ? NOT_PRICED
        : `weighted pools of ${weighted.first.length + weighted.later.length} factories to the unit; others by a call, direct trades only (\`called\`)`;
    rows.push({ venue, pools: 'pools of a vault', priced, contract: vault });
  }
  for (const { venue, factory } of liquidityBook) {
    const isPriced = venue !== 'lfj-v2';
    const priced = isPriced
      ? 'to the unit at the time of the block, unless a hook is called in swaps (`swapHook`)'
      : NOT_PRICED;
    rows.push({ venue, pools: 'pairs of bins (Liquidity Book)', priced, contract: factory });
  }
  const unpriced = [
    ['pancakeswap-infinity', 'V4-like pools', infinity?.ranges],
    ['pancakeswap-infinity-bins', 'pools of bins', infinity?.bins],
    ['dodo-v2', 'pools of a market maker', dodo?.join(', ')],
    ['maverick-v2', 'pools of bins', maverick],
    ['four-meme-x-mode', 'curves with purchases of their own', fourMeme?.manager],
    ['sky-psm', 'peg modules of two coins', listModules(sky?.pairs)],
    ['woofi-v2', 'tokens at posted prices', woofi?.join(', ')],
  ] as const;
  for (const [venue, pools, contract] of unpriced) {
    if (contract !== undefined) rows.push({ venue, pools, priced: NOT_PRICED, contract });
  }
  const called = [
    ['fluid', "pools over Fluid's reserves and debts", fluid?.factory],
    ['four-meme', 'curves of a launchpad', fourMeme?.manager],
    ['sky-psm', 'peg modules of several coins', listModules(sky?.baskets)],
    ...eulerSwap.map((one) => [one.venue, 'pools over vaults that lend', one.factory] as const),
  ] as const;
  for (const [venue, pools, contract] of called) {
    if (contract !== undefined) rows.push({ venue, pools, priced: CALLED, contract });
  }
  return rows;
}

const OUTPUT_CALLS: Readonly<Record<SwapRouter['outputCall'], string>> = {
  commands: 'divided, up to eight routes',
  path: 'one route through pools of one kind; others by a given input',
  exactPath: 'one route',
  input: 'by a given input, with the output as the minimum',
};

function renderRouter(router: SwapRouter): string {
  const { name, kind, permit2, canDivide, outputCall, address, cannotWrap } = router;
  const { takesPermits = false, onlyOutputs = false } = router.kind === 'universal' ? {} : router;
  const usual = takesPermits ? "itself, or by a token's permit" : 'itself';
  const poolOrItself = 'itself, or the one pool';
  const own: Readonly<Record<string, string>> = {
    ...{ curve: poolOrItself, pancakeStable: poolOrItself },
    ...{ fluid: 'the pool', skyBasket: 'the module' },
  };
  const approved = permit2 === null ? (own[kind] ?? usual) : 'through Permit2';
  const path = cannotWrap ? 'one pool' : 'one, up to three hops';
  const given = onlyOutputs ? 'one route; used for given outputs alone' : OUTPUT_CALLS[outputCall];
  const routes = canDivide ? 'divided, up to three hops each' : path;
  return `| ${name} | ${kind} | ${approved} | ${routes} | ${given} | ${address} |`;
}

function renderChain(slug: string, deployment: EvmDeployment): string {
  const isSearched = (fork: V2Fork | V3Fork) => fork.isSearched !== false;
  const routers = listSwapRouters(deployment);
  const findRouters = (venue: string) => {
    const names = routers.filter((one) => one.venues.has(venue)).map(({ name }) => name);
    return names.length === 0 ? 'no' : names.join(', ');
  };
  const main = { v2: deployment.v2.filter(isSearched), v3: deployment.v3.filter(isSearched) };
  const minor = {
    v2: deployment.v2.filter((fork) => !isSearched(fork)),
    v3: deployment.v3.filter((fork) => !isSearched(fork)),
  };
  const rows = [...listForks(main), ...listOthers(deployment)].map(
    ({ venue, pools, priced, contract }) =>
      `| ${venue} | ${pools} | ${priced} | ${findRouters(venue)} | ${contract} |`,
  );
  const forks = listForks(minor).map(({ venue }) => venue);
  return `## ${slug}

| Venue | Pools | Priced | Traded by | Factory, manager, vault or registries |
|---|---|---|---|---|
${rows.join('\n')}

Forks whose pools are stored when they trade, never traded: ${forks.join(', ')}.

| Router | Called as | Approved | Routes | Given output | Contract |
|---|---|---|---|---|---|
${routers.map(renderRouter).join('\n')}`;
}

const RECORDED = "swaps that the exchange's own contracts executed, as recorded";

/** What the swaps of pools were compared with, to the unit; null if with nothing. */
const LAYOUT_PROOFS: Readonly<{
  v2: Readonly<Record<V2LayoutName, string | null>>;
  v3: Readonly<Record<V3LayoutName, string | null>>;
}> = {
  v2: {
    uniswap: 'contracts of npm on the devnet',
    solidly: `2,560 quotes and 320 ${RECORDED}`,
    solidlyFork: null,
    camelot: `1,000 quotes and 122 ${RECORDED}`,
  },
  v3: {
    uniswap: 'contracts of npm on the devnet; PancakeSwap V3 by 300 random swaps of its own (npm)',
    slipstream: `300 ${RECORDED}, each with the fee of its block`,
    algebra: `300 random swaps of @cryptoalgebra/v1-core (npm), and 300 ${RECORDED}`,
    algebraDirectional: `300 ${RECORDED}`,
    algebraIntegral:
      '300 random swaps of each of two versions of @cryptoalgebra/integral-core (npm)',
    solidlyV3: null,
    kyberElastic: null,
  },
};

/** The same for pools of other shapes. */
const SHAPE_PROOFS: Readonly<
  Record<'v4' | 'stableSwap' | 'pancake' | 'weighted' | 'bins', string>
> = {
  v4: 'contracts of npm on the devnet',
  stableSwap: `330 ${RECORDED}`,
  pancake:
    '900 random swaps of contracts of ours by its formulas (test/contracts/pancake-stable.sol)',
  weighted: `300 random swaps of @balancer-labs/v2-deployments (npm), and 360 ${RECORDED}`,
  bins: '300 random swaps of a stand-in of ours (test/contracts/liquidity-book.sol), at several times of blocks (decision 0118)',
};

const SHAPES: Readonly<Record<keyof typeof SHAPE_PROOFS, string>> = {
  v4: 'V4 pools without hooks',
  stableSwap: 'StableSwap NG pools of Curve',
  pancake: 'stable pools of PancakeSwap',
  weighted: 'weighted pools of Balancer V2',
  bins: 'pairs of Liquidity Book',
};

function renderProofs(): string {
  const layouts = [
    ...Object.entries(LAYOUT_PROOFS.v2).map(([layout, by]) => [V2_POOLS, layout, by] as const),
    ...Object.entries(LAYOUT_PROOFS.v3).map(([layout, by]) => [V3_POOLS, layout, by] as const),
  ].map(([pools, layout, by]) => {
    const [name] = (pools as Readonly<Record<string, readonly string[]>>)[layout] ?? [];
    return `| ${name} (\`${layout}\`) | ${by ?? 'nothing: not priced, or by a claimed fee'} |`;
  });
  const shapes = Object.entries(SHAPE_PROOFS).map(
    ([shape, by]) => `| ${SHAPES[shape as keyof typeof SHAPES]} | ${by} |`,
  );
  const routers = Object.entries(ROUTER_KINDS).map(([kind, { proof }]) => {
    const { executedBy, source } = proof;
    const by = executedBy === 'contract' ? "the exchange's own contract" : 'a stand-in of ours';
    const unsimulated = executedBy === 'contract' ? 'yes' : 'no';
    return `| \`${kind}\` | ${by} (${source}) | ${unsimulated} |`;
  });
  return `## What was proved by what

Swaps of these pools were computed and compared to the unit:

| Pools | With |
|---|---|
${[...layouts, ...shapes].join('\n')}

Calls of these kinds were executed: 100 random trades each, none below its minimum, what arrived equal to the quote to the unit where the pool's fee is certain (\`npm run drill -- --routers 100\`). A stand-in has the wire format of the exchange's router, over pools of real contracts or pairs of ours that follow the recorded quotes: it shows that what we encode means
what we think, not that the exchange's router agrees.

| Router | Executed by | Built where no node can simulate |
|---|---|---|
${routers.join('\n')}
| \`universal\` | the exchange's own contract (npm, @uniswap/universal-router) | yes; version 2.1.1 (Robinhood Chain) was executed nowhere: no |`;
}

/** As `npm run coverage` printed them: the recordings are not part of the project. */
const COVERAGE = `## How much of real trading is read

Recorded swaps that the index stores, by number and by value (stable coins at a dollar, the chain's coin at what swaps between both paid), November 2026. The first recordings are blocks and single transactions that developers kept as test data, from 2022 to 2026; the second are the transactions
of the decoder tests of rotki (rotki/test-caching at eb86a80), chosen for their variety of exchanges and not for their size. \`npm run coverage -- <folder>\` repeats it on yours.

| Chain | Recorded | By number | By value | Missed |
|---|---|---|---|---|
| ethereum | 4 blocks, single transactions, block 18000000 | 188 of 189 | 99.7 % of $1,036,224 | a pair of an unknown factory |
| ethereum | rotki | 211 of 214 | 99.9 % of $25,379,873 | three pairs of unknown factories |
| arbitrum | block 150000000 | 3 of 3 | 100 % of $23,439 | |
| arbitrum | rotki | 73 of 77 | 91.8 % of $183,898 | GMX's first vault (one swap of $14,964; without it 99.9 %), Swaap, two V3 pools of unknown factories |
| base | rotki | 71 of 74 | 99.9 % of $12,033 | two V3 pools and an Algebra pool of unknown factories |
| optimism | rotki | 68 of 69 | 99.9 % of $16,841 | a pair of an unknown factory |
| polygon | block 50000000 | 5 of 5 | 100 % of $3,667 | |
| polygon | rotki | 40 of 44 | 99.9 % of $20,754 | four pairs of unknown factories |
| bsc | rotki | 13 of 16 | 99.9 % of $5,719 | three pairs of unknown factories |
| solana | block 326027759, every exchange of tokens in it | 100 of 100 | 100 % of $7,224 | |
| solana | 41 recorded transactions | 49 of 49 | 100 % of $892 | |
| solana | rotki | 18 of 19 | 98.8 % of $894 | orders of Jupiter's market makers |

The samples of Base, Optimism, Polygon and BSC are small, and swaps are found by the logs of the exchanges that are known here: what logs otherwise is not counted (Saddle and its forks, orders between wallets). On Solana every call that exchanged tokens counts. Pairs and V3 pools of unknown factories are stored once a probe has confirmed them, which needs a node.`;

export function renderVenuesPage(): string {
  const chains = Object.entries(EVM_DEPLOYMENTS).map(([slug, one]) => renderChain(slug, one));
  return `# Venues

Made from \`src/chains/evm/venues/deployments.ts\`. Swaps of every venue here are stored and shown in prices, candles and trades. *Priced*: how a quote through such a pool would be computed; what is not
certain to the unit is not \`exact\`, and the quote's warning says why. *Traded by*: the routers through which this server quotes and builds trades there (\`tradable\` of a pool); a trade uses one of them.
*Given output*: how a trade with \`amountOutRaw\` is executed.
A token that trades only elsewhere is answered with \`VENUE_NOT_SUPPORTED\`, a trade between tokens that no single router reaches with \`NO_SINGLE_ROUTER\`.
A router that was never executed on its own contract is built on only after a simulation.

A pool counts if its factory, its registry or its vault vouches for it. A pair like Uniswap V2's, or a pool like V3's, whose factory nobody listed counts once a probe has confirmed its fee and formula: its venue is \`v2-like:<factory>\` or \`v3-like:<factory>\`, it is never exact, never traded and never an anchor. Other swaps that nobody vouches for are not stored; \`mintwire_chain_swaps_unclaimed\` in \`/metrics\` counts those in which tokens moved.
Infinity, DODO, Maverick, WOOFi and Sky's peg modules of two coins are not quoted: only their contracts compute what they pay, a search compares thousands of amounts, and one call for each would neither be quick nor within a budget (decision 0065).
Balancer V2's pools that are not weighted, Curve's that are not StableSwap NG (older formulas, crypto pools, metapools), Fluid's pools, EulerSwap's, four.meme's curves and Sky's peg modules of several coins are called for one amount, where they connect both tokens directly and no computed route is good: not \`exact\`, with the reason \`called\`, and built only after a simulation (decisions 0065, 0031). A token that trades
nowhere else is answered with \`VENUE_NOT_SUPPORTED\`, or with \`POOLS_NOT_QUOTED\` and \`notComputed\` where other pools of the venue are traded.
One pool of Curve, or one stable pool of PancakeSwap, is called itself, and approved; the router takes what needs several of them or wraps the coin. A pool takes no deadline (\`NO_DEADLINE\`); Curve's router takes none either, and keeps a unit, PancakeSwap's pays all that it holds: paths through either are \`routerUnit\`.
A pool of Fluid is called itself and approved; it and four.meme's manager take and pay the native coin only as such, and know no deadline. four.meme sells whole 10⁹ units of a coin: a smaller rest stays in the wallet. Coins of its X mode are bought by a call of their own, and not traded here.
A further fork is one line in \`CHAINS_FILE\` (\`docs/chains-file.md\`); \`npm run coverage -- <folder>\` says what recorded blocks lack.

${COVERAGE}

${renderProofs()}

${chains.join('\n\n')}
`;
}
