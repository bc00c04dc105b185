// Curve's factories, registries and routers, by chain, from its repositories.

import type { VenueContracts } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { type ReadDevnet, routerOf, type VenueTable } from '../venue-table.ts';
import { PANCAKE_STABLE_VENUE } from './pancake-stable.ts';

/** The factory of twocrypto pools has one address on most chains. */
const TWOCRYPTO = '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f';

function build(router: string, stable: string, others: readonly string[]): Partial<VenueContracts> {
  const curveStable = evmAddress(stable);
  const curve = [...others.map(evmAddress), curveStable];
  return { curve, curveStable, routers: [routerOf('curve', 'curve', router)] };
}

/** PancakeSwap's stable pools, and its smart router, which takes paths of them. */
function addPancake(
  curve: Partial<VenueContracts>,
  line: { readonly router: string; readonly factories: readonly string[] },
): Partial<VenueContracts> {
  const router = routerOf(PANCAKE_STABLE_VENUE, 'pancakeStable', line.router);
  const pancakeStable = line.factories.map(evmAddress);
  return { ...curve, pancakeStable, routers: [...(curve.routers ?? []), router] };
}

export const readDevnetCurve: ReadDevnet = (file) => {
  const contracts = file.findPart('curve');
  if (contracts === null) return {};
  const registries = contracts.has('registry') ? [contracts.find('registry')] : [];
  return build(contracts.find('router'), contracts.find('stableFactory'), registries);
};

export const CURVE_CONTRACTS: VenueTable = {
  ethereum: build(
    '0x45312ea0eff7e09c83cbe249fa1d7598c4c8cd4e',
    '0x6a8cbed756804b16e05e741edabd5cb544ae21bf',
    [
      '0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc', // MetaRegistry: knows the older pools, too
      TWOCRYPTO,
      '0x0c0e5f2ff0ff18a3be9b835635039256dc4b4963',
    ],
  ),
  base: build(
    '0x4f37a9d177470499a2dd084621020b023fcffc1f',
    '0xd2002373543ce3527023c75e7518c274a51ce712',
    ['0xc9fe0c63af9a39402e8a5514f9c43af0322b665f', '0xa5961898870943c68037f6848d2d866ed2016bcb'],
  ),
  arbitrum: addPancake(
    build(
      '0x2191718cd32d02b8e60badffea33e4b5dd9a0a0d',
      '0x9af14d26075f142eb3f292d5065eb3faa646167b',
      [TWOCRYPTO, '0xbc0797015fcfc47d9c1856639cae50d0e69fbee8'],
    ),
    {
      router: '0x32226588378236fd0c7c4053999f88ac0e5cac77',
      factories: ['0x5d5fbb19572c4a89846198c3dbedb2b6ef58a77a'],
    },
  ),
  optimism: build(
    '0x0dcded3545d565ba3b19e683431381007245d983',
    '0x5eee3091f747e60a045a2e715a4c71e600e31f6e',
    [TWOCRYPTO, '0xc6c09471ee39c7e30a067952fcc89c8922f9ab53'],
  ),
  polygon: build(
    '0x0dcded3545d565ba3b19e683431381007245d983',
    '0x1764ee18e8b3cca4787249ceb249356192594585',
    [TWOCRYPTO, '0xc1b393efef38140662b91441c6710aa704973228'],
  ),
  bsc: addPancake(
    build(
      '0xa72c85c258a81761433b4e8da60505fe3dd551cc',
      '0xd7e72f3615aa65b92a4dbdc211e296a35512988b',
      [TWOCRYPTO, '0xc55837710bc500f1e3c7bb9dd1d51f7c5647e657'],
    ),
    {
      router: '0x13f4ea83d0bd40e75c8222255bc855a974568dd4',
      // The router knows the pools of the first one.
      factories: [
        '0x25a55f9f2279a54951133d503490342b50e5cd15',
        '0x36bbb126e75351c0dfb651e39b38fe0bc436ffd2',
      ],
    },
  ),
};
