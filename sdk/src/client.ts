// The package's entry: everything that `@mintwire/client` exports.

export type * from './contract.gen.ts';
export {
  type CallOptions,
  type ClientOptions,
  createClient,
  type MintwireClient,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from './create-client.ts';
export {
  eachKline,
  eachPage,
  eachRow,
  type PagedOperation,
  type PageRow,
} from './each-row.ts';
export {
  type FollowTransactionOptions,
  followTransaction,
  type SentTransaction,
} from './follow-transaction.ts';
export {
  isProblem,
  MintwireError,
  type ProblemCode,
  type ProblemDetails,
} from './mintwire-error.ts';
export type { RetryPolicy } from './send-call.ts';
export { sendTrade as trade, type TradeOptions, type TradeOutcome } from './send-trade.ts';
export type { SolanaSigner } from './solana-signing.ts';
export { type FollowOptions, followTokens, type LiveToken, TokenFold } from './token-fold.ts';
export type { StreamOptions, StreamState, TokenStreamEvent } from './token-stream.ts';
export { TradeError, type TradeErrorCode, type TradeProgress } from './trade-error.ts';
export type { SigningAccount, TradeWallet } from './trade-wallet-sender.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookFault,
  type WebhookMessage,
  type WebhookRequest,
} from './verify-webhook.ts';
export {
  type Eip1193Provider,
  type MessageAccount,
  type MessageClient,
  type SignInWallet,
  type SolanaWallet,
  type StandardWallet,
  startWalletSession as signIn,
  type WalletSignInOptions,
} from './wallet-sign-in.ts';
