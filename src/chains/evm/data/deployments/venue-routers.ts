// The routers of exchanges other than Uniswap, by chain. A `Router02` stands with its fork in
// `deployments.ts`. The addresses come from the repositories of Aerodrome, Velodrome, Curve and
// PancakeSwap and, for QuickSwap and Camelot, from public integrations.

import type { EvmDeployment, RouterLine, VenueRouterKind } from './evm-deployment.ts';
import { evmAddress } from '../evm-ids.ts';

/** The router of one venue. */
function routerOf(venue: string, kind: VenueRouterKind, address: string): RouterLine {
  return { name: venue, kind, address: evmAddress(address), venues: [venue] };
}

/** PancakeSwap's SmartRouter, for its pairs and pools. */
function pancakeRouter(address: string): RouterLine {
  const venues = ['pancakeswap-v2', 'pancakeswap-v3'];
  return { name: 'pancakeswap', kind: 'smart', address: evmAddress(address), venues };
}

function curveRouter(address: string): RouterLine {
  return routerOf('curve', 'curve', address);
}

const ROUTERS = {
  ethereum: [
    pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4'),
    curveRouter('0x45312ea0eff7e09c83cbe249fa1d7598c4c8cd4e'),
  ],
  base: [
    pancakeRouter('0x678aa4bf4e210cf2166753e054d5b7c31cc7fa86'),
    routerOf('aerodrome-v2', 'solidly', '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43'),
    routerOf('aerodrome-slipstream', 'slipstream', '0xbe6d8f0d05cc4be24d5167a3ef062215be6d18a5'),
    routerOf('aerodrome-slipstream-2', 'slipstream', '0xcbbb8035cac7d4b3ca7abb74cf7bdf900215ce0d'),
    // Aerodrome's list of deployments has it under "Gauges V3", with the third factory of
    // `deployments.ts`; others who called its factory() say the same (not called from here).
    routerOf('aerodrome-slipstream-3', 'slipstream', '0x698cb2b6dd822994581fea6ea4fc755d1363a92f'),
    curveRouter('0x4f37a9d177470499a2dd084621020b023fcffc1f'),
  ],
  arbitrum: [
    pancakeRouter('0x32226588378236fd0c7c4053999f88ac0e5cac77'),
    routerOf('camelot-v2', 'camelot', '0xc873fecbd354f5a56e00e710b90ef4201db2448d'),
    routerOf('camelot-v3', 'algebra', '0x1f721e2e82f6676fce4ea07a5958cf098d339e18'),
    curveRouter('0x2191718cd32d02b8e60badffea33e4b5dd9a0a0d'),
  ],
  optimism: [
    routerOf('velodrome-v2', 'solidly', '0xa062ae8a9c5e11aaa026fc2670b0d65ccc8b2858'),
    routerOf('velodrome-slipstream', 'slipstream', '0x0792a633f0c19c351081cf4b211f68f79bcc9676'),
    routerOf('velodrome-slipstream-2', 'slipstream', '0xba3aee516399388c779463183d00bb579f5041ca'),
    curveRouter('0x0dcded3545d565ba3b19e683431381007245d983'),
  ],
  polygon: [
    routerOf('quickswap-v3', 'algebra', '0xf5b509bb0909a69b1c207e495f687a596c168e12'),
    curveRouter('0x0dcded3545d565ba3b19e683431381007245d983'),
  ],
  bsc: [
    pancakeRouter('0x13f4ea83d0bd40e75c8222255bc855a974568dd4'),
    curveRouter('0xa72c85c258a81761433b4e8da60505fe3dd551cc'),
  ],
} as const;

export function listVenueRouters(chain: keyof typeof ROUTERS): Pick<EvmDeployment, 'routers'> {
  return { routers: ROUTERS[chain] };
}
