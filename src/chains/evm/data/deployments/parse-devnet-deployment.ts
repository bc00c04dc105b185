// Parses the devnet's deployment file.

import { BUILT_IN_CHAINS } from '../../../../model/chain.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment } from './evm-deployment.ts';
import { parseEvmAddress, parseEvmPool } from '../evm-ids.ts';

/** Anvil reports the block 64 below its head as final. */
const DEVNET_FINALITY_DEPTH = 64;

type DeploymentFields = Record<string, unknown>;

function parseFields(value: unknown, what: string): DeploymentFields {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`devnet: ${what} is missing`);
  return value as DeploymentFields;
}

function parseId<Id>(value: unknown, parse: (text: string) => Id | null, what: string): Id {
  const id = typeof value === 'string' ? parse(value) : null;
  if (id === null) throw new TypeError(`devnet: ${what} is no address`);
  return id;
}

function parseList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`devnet: ${what} is not a list`);
  return value;
}

/** The tokens that represent a dollar there. */
function findStables(tokens: readonly unknown[]): Address[] {
  return tokens
    .map((token) => parseFields(token, 'token'))
    .filter((token) => token['key'] === 'usdc')
    .map((token) => parseId(token['address'], parseEvmAddress, 'usdc'));
}

type DevnetOthers = Pick<EvmDeployment, 'v2' | 'v3' | 'balancer' | 'routers'>;

/** Of other exchanges than Uniswap; a chain for tests has none. */
function parseOthers(value: unknown): DevnetOthers {
  if (value === undefined) return { v2: [], v3: [] };
  const contracts = parseFields(parseFields(value, 'others')['contracts'], 'contracts');
  const contract = (name: string) => parseId(contracts[name], parseEvmAddress, name);
  const [solidly, pancake] = ['solidly-v2', 'pancakeswap-v3'];
  return {
    v2: [
      {
        ...{ venue: solidly, factory: contract('solidlyFactory'), layout: 'solidly' },
        ...{ feePips: 0, router: null, universalRouter: false },
      },
    ],
    v3: [
      {
        ...{ venue: pancake, factory: contract('pancakeFactory'), quoter: null },
        ...{ feeTiers: [100, 500, 2500, 10_000], universalRouter: false },
      },
    ],
    balancer: [
      {
        ...{ venue: 'balancer-v2', vault: contract('balancerVault'), version: 2 },
        weighted: { first: [contract('weightedFactory')], later: [] },
      },
    ],
    routers: [
      { name: solidly, kind: 'solidly', address: contract('solidlyRouter'), venues: [solidly] },
      { name: 'pancakeswap', kind: 'smart', address: contract('pancakeRouter'), venues: [pancake] },
    ],
  };
}

/** Of Curve; absent on most chains for tests. */
function parseCurve(value: unknown): Pick<EvmDeployment, 'curve' | 'curveStable' | 'routers'> {
  if (value === undefined) return {};
  const contracts = parseFields(value, 'curve');
  const contract = (name: string) => parseId(contracts[name], parseEvmAddress, name);
  const curveStable = contract('stableFactory');
  const line = { name: 'curve', kind: 'curve', address: contract('router') } as const;
  const isNamed = contracts['registry'] !== undefined;
  const curve = [...(isNamed ? [contract('registry')] : []), curveStable];
  return { curve, curveStable, routers: [{ ...line, venues: ['curve'] }] };
}

export function parseDevnetDeployment(json: unknown): EvmDeployment {
  const file = parseFields(json, 'deployment');
  const contracts = parseFields(file['contracts'], 'contracts');
  const contract = (name: string) => parseId(contracts[name], parseEvmAddress, name);
  const chainId = Number(file['chainId']);
  if (!Number.isSafeInteger(chainId)) throw new TypeError('devnet: chainId is not a number');
  const others = parseOthers(file['others']);
  const curve = parseCurve(file['curve']);
  const routers = [...(others.routers ?? []), ...(curve.routers ?? [])];
  return {
    ...{ ...others, ...curve },
    ...(routers.length === 0 ? {} : { routers }),
    chain: 'devnet',
    chainId,
    native: BUILT_IN_CHAINS.devnet.native,
    wrapped: contract('weth'),
    wrappedEmitsTransfers: false,
    stables: findStables(parseList(file['tokens'], 'tokens')),
    anchorPools: parseList(file['anchorPools'], 'anchorPools').map((pool) =>
      parseId(pool, parseEvmPool, 'anchor pool'),
    ),
    v2: [
      {
        venue: 'uniswap-v2',
        factory: contract('v2Factory'),
        feePips: 3000,
        router: contract('v2Router'),
        universalRouter: true,
      },
      ...others.v2,
    ],
    v3: [
      {
        venue: 'uniswap-v3',
        factory: contract('v3Factory'),
        quoter: contract('v3Quoter'),
        universalRouter: true,
      },
      ...others.v3,
    ],
    v4: {
      venue: 'uniswap-v4',
      poolManager: contract('v4PoolManager'),
      positionManager: contract('v4PositionManager'),
      stateView: contract('v4StateView'),
      quoter: contract('v4Quoter'),
    },
    universalRouter: { address: contract('universalRouter'), version: '2.1' },
    permit2: contract('permit2'),
    multicall3: contract('multicall3'),
    finalityDepth: DEVNET_FINALITY_DEPTH,
  };
}
