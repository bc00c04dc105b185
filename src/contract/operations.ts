// The list of operations. Only what is here has a route.

import type { Operation } from './operation.ts';
import { createAlert, deleteAlert, getAlerts } from './operations/alert-operations.ts';
import {
  createChallenge,
  endAllSessions,
  endSession,
  getSessions,
  verifyChallenge,
} from './operations/auth.ts';
import { buildTrade } from './operations/build-trade.ts';
import { callMcp } from './operations/call-mcp.ts';
import { getChainFees } from './operations/get-chain-fees.ts';
import { getChains } from './operations/get-chains.ts';
import { getEntitlements } from './operations/get-entitlements.ts';
import { getHealth } from './operations/get-health.ts';
import { getHolders } from './operations/get-holders.ts';
import { getKlines } from './operations/get-klines.ts';
import { getMe } from './operations/get-me.ts';
import { getPool } from './operations/get-pool.ts';
import { getPrices } from './operations/get-prices.ts';
import { getReady } from './operations/get-ready.ts';
import { getStatus } from './operations/get-status.ts';
import { getToken } from './operations/get-token.ts';
import { getTokenLogo } from './operations/get-token-logo.ts';
import { getTokenPrice } from './operations/get-token-price.ts';
import { getTokenSafety } from './operations/get-token-safety.ts';
import { getTrade } from './operations/get-trade.ts';
import { getTradeStatus } from './operations/get-trade-status.ts';
import { getTraders } from './operations/get-traders.ts';
import { getTrades } from './operations/get-trades.ts';
import { getUsage } from './operations/get-usage.ts';
import { getWalletBalances } from './operations/get-wallet-balances.ts';
import { getWalletPositions } from './operations/get-wallet-positions.ts';
import { getWalletTrades } from './operations/get-wallet-trades.ts';
import { createKey, getKeys, revokeKey } from './operations/key-operations.ts';
import { listPools } from './operations/list-pools.ts';
import { listTokens } from './operations/list-tokens.ts';
import { quoteTrade } from './operations/quote-trade.ts';
import { getDocs, getLlms, getOpenapi } from './operations/reference.ts';
import { searchTokens } from './operations/search-tokens.ts';
import { getTokenStream } from './operations/stream-token.ts';
import {
  getUdfConfig,
  getUdfHistory,
  getUdfMarks,
  getUdfSymbol,
  getUdfTime,
  searchUdf,
} from './operations/udf-operations.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDeliveries,
  getWebhooks,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from './operations/webhook-operations.ts';

export const operations = [
  getChains,
  searchTokens,
  listTokens,
  getToken,
  getTokenPrice,
  getPrices,
  getKlines,
  getTrades,
  getTrade,
  getHolders,
  listPools,
  getPool,
  getTokenSafety,
  getTokenLogo,
  getTraders,
  getWalletBalances,
  getWalletTrades,
  getWalletPositions,
  getTokenStream,
  getUdfConfig,
  getUdfSymbol,
  searchUdf,
  getUdfHistory,
  getUdfTime,
  getUdfMarks,
  quoteTrade,
  buildTrade,
  getTradeStatus,
  getChainFees,
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
  getAlerts,
  createAlert,
  deleteAlert,
  getUsage,
  createWebhook,
  getWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  getWebhookDeliveries,
  replayWebhook,
  callMcp,
  getOpenapi,
  getDocs,
  getLlms,
  getHealth,
  getReady,
  getStatus,
] as const satisfies readonly Operation[];

export type AnyOperation = (typeof operations)[number];
export type OperationId = AnyOperation['id'];
