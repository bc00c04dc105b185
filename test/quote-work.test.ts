// What a quote's search costs, over HTTP: told in the headers, also of answers that are errors.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openSearchThreads } from '../src/compose/open-search-threads.ts';
import { COSTS, EVALUATIONS_PER_UNIT } from '../src/contract/operation.ts';
import { quoteTrade } from '../src/contract/operations/quote-trade.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { TokenRecord } from '../src/model/market-record.ts';
import { createPricing, createQuoteTrade } from '../src/trading/quote/create-pricing.ts';
import { toExtraCost } from '../src/trading/quote/price-trade.ts';
import type { TradeChain } from '../src/trading/quote/trade-chain.ts';
import { TradeTokens } from '../src/trading/quote/trade-tokens.ts';
import { searchTrade } from '../src/trading/routing/find-trade-route.ts';
import { SearchWork } from '../src/trading/routing/search-work.ts';
import { planTrade, type RouteQuestion } from '../src/trading/routing/trade-plan.ts';
import { RouteDesk } from '../src/trading/search/route-desk.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { toCheckpoint, toToken } from './conformance/store-samples.ts';
import { createRandomQuestion } from './fakes/random-trade.ts';
import { startHttpServer, toLimits } from './start-http-server.ts';
import { TEST_SEALER } from './trading-scene.ts';

const BURST = 60;
