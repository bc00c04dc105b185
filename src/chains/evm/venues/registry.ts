// The registry of venue protocols. A new one is a folder beside this file and a line here.

import { uniswapV2 } from './uniswap-v2/uniswap-v2.ts';
import { uniswapV3 } from './uniswap-v3/uniswap-v3.ts';
import { uniswapV4 } from './uniswap-v4/uniswap-v4.ts';
import type { VenueProtocol } from './venue-protocol.ts';

export const VENUE_PROTOCOLS: readonly VenueProtocol[] = [uniswapV2, uniswapV3, uniswapV4];
