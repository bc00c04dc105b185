// The list of operations. Only what is here has a route.

import type { Operation } from './operation.ts';
import {
  createChallenge,
  endAllSessions,
  endSession,
  getSessions,
  verifyChallenge,
} from './operations/auth.ts';
import { buildTrade } from './operations/build-trade.ts';
import { callMcp } from './operations/call-mcp.ts';
import { getChains } from './operations/get-chains.ts';
import { getEntitlements } from './operations/get-entitlements.ts';
import { getHealth } from './operations/get-health.ts';
import { getHolders } from './operations/get-holders.ts';
import { getKlines } from './operations/get-klines.ts';
import { getMe } from './operations/get-me.ts';
import { getReady } from './operations/get-ready.ts';
import { getToken } from './operations/get-token.ts';
import { getTradeStatus } from './operations/get-trade-status.ts';
import { getTrades } from './operations/get-trades.ts';
import { createKey, getKeys, revokeKey } from './operations/key-operations.ts';
import { listTokens } from './operations/list-tokens.ts';
import { quoteTrade } from './operations/quote-trade.ts';
import { getDocs, getLlms, getOpenapi } from './operations/reference.ts';
import { searchTokens } from './operations/search-tokens.ts';
import { getTokenStream } from './operations/stream-token.ts';

export const operations = [
  getChains,
  searchTokens,
  listTokens,
  getToken,
  getKlines,
  getTrades,
  getHolders,
  getTokenStream,
  quoteTrade,
  buildTrade,
  getTradeStatus,
  getEntitlements,
  createChallenge,
  verifyChallenge,
  getSessions,
  endSession,
  endAllSessions,
  getMe,
  getKeys,
  createKey,
  revokeKey,
  callMcp,
  getOpenapi,
  getDocs,
  getLlms,
  getHealth,
  getReady,
] as const satisfies readonly Operation[];

export type AnyOperation = (typeof operations)[number];
export type OperationId = AnyOperation['id'];
