// What the API answers, by the SDK's types.

import type { StreamEvents as OptionalEvents } from '../../../sdk/src/contract.gen.ts';
import type { OperationOutput } from '../../../sdk/src/create-client.ts';

export type TokenListReply = OperationOutput<'listTokens'>;
export type ListedTokenRow = TokenListReply['tokens'][number];
export type WindowName = keyof ListedTokenRow['windows'];
export type SearchReply = OperationOutput<'searchTokens'>;
export type TokenReply = OperationOutput<'getToken'>;
export type PoolRow = TokenReply['pools'][number];
export type PoolReply = OperationOutput<'getPool'>;
export type KlinesReply = OperationOutput<'getKlines'>;
export type ChartKline = KlinesReply['klines'][number];
export type KlineIntervalName = KlinesReply['interval'];
export type TradesReply = OperationOutput<'getTrades'>;
export type TradeRow = TradesReply['trades'][number];
export type HoldersReply = OperationOutput<'getHolders'>;
export type SafetyReply = OperationOutput<'getTokenSafety'>;
export type TradersReply = OperationOutput<'getTraders'>;
export type ChainsReply = OperationOutput<'getChains'>;
export type ChainRow = ChainsReply['chains'][number];
export type EntitlementsReply = OperationOutput<'getEntitlements'>;
export type MeReply = OperationOutput<'getMe'>;
export type ReadyReply = OperationOutput<'getReady'>;
export type StatusReply = OperationOutput<'getStatus'>;
export type WalletBalancesReply = OperationOutput<'getWalletBalances'>;
export type WalletPositionsReply = OperationOutput<'getWalletPositions'>;
export type WalletTradesReply = OperationOutput<'getWalletTrades'>;
export type QuoteReply = OperationOutput<'quoteTrade'>;
export type BuiltTradeReply = OperationOutput<'buildTrade'>;
export type TradeStatusReply = OperationOutput<'getTradeStatus'>;
export type KeysReply = OperationOutput<'getKeys'>;
export type KeyRow = KeysReply['keys'][number];
export type IssuedKeyReply = OperationOutput<'createKey'>;
export type SessionsReply = OperationOutput<'getSessions'>;
export type UsageReply = OperationOutput<'getUsage'>;
export type StreamEvents = Required<OptionalEvents>;
export type StreamEventName = keyof StreamEvents;
