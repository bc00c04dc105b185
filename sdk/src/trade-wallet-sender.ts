// Sends a built transaction with a wallet: signed here and sent as bytes, or by the wallet itself.

import type { BuiltTrade, Permit } from './contract.gen.ts';
import { hashKeccak } from './hash-keccak.ts';
import {
  findStandardSender,
  findStandardSigner,
  type SolanaSigner,
  signBytes,
} from './solana-signing.ts';
import type { Eip1193Provider, StandardWallet } from './wallet-sign-in.ts';

export type TransactionToSend = BuiltTrade['transactions'][number];
type Eip1559Transaction = Extract<TransactionToSend, { type: 'eip1559' }>;
type SolanaTransaction = Exclude<TransactionToSend, Eip1559Transaction>;

/** A viem local account, or anything that signs transactions. */
export interface SigningAccount {
  readonly address: string;
  signTransaction(transaction: never): Promise<string>;
  /** For trades with `approval: 'permit'`. */
  signTypedData?(message: never): Promise<string>;
}

/**
 * A browser's wallet (EIP-1193); a viem wallet client; or a local account with a node to send to.
 * With a local account a transaction's hash is known before it is sent. On Solana the last, with a
 * signer of bytes or a wallet of the Wallet Standard, and a node; or such a wallet that also sends.
 */
export type TradeWallet =
  | (Eip1193Provider & { readonly account?: { readonly address: string } | undefined })
  | {
      readonly account: SigningAccount | SolanaSigner | StandardWallet;
      readonly rpcUrl: string;
      /** How long a call to the node may take; 20 seconds by default. */
      readonly timeoutMs?: number | undefined;
    }
  | {
      readonly account: StandardWallet;
      /** The chain as the Wallet Standard names it, such as `solana:mainnet`. */
      readonly cluster: string;
    };

interface SignedTransaction {
  readonly hash: string;
  /** Sending the same bytes twice has the effect of sending them once. */
  send(): Promise<void>;
}

/** The user said no (EIP-1193), or the wallet is not the right one. Nothing was sent. */
export class WalletRefusal extends Error {
  readonly code: 'REFUSED' | 'WRONG_WALLET' | 'WRONG_CHAIN';

  constructor(message: string, code: WalletRefusal['code']) {
    super(message);
    this.code = code;
  }
}

const USER_REJECTED = 4001;
const TIMEOUT_MS = 20_000;

const toHexNumber = (decimal: string | number) => `0x${BigInt(decimal).toString(16)}`;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSame = (a: unknown, b: string) => String(a).toLowerCase() === b.toLowerCase();

/** A node's JSON-RPC as a provider. */
function createNode(rpcUrl: string, timeoutMs = TIMEOUT_MS): Eip1193Provider {
  return {
    request: async ({ method, params = [] }) => {
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { result, error } = (await response.json()) as {
        readonly result?: unknown;
        readonly error?: { readonly message?: string };
      };
      if (error !== undefined) throw new Error(error.message ?? 'the node refused');
      return result;
    },
  };
}

function findSigner(wallet: TradeWallet): SigningAccount | null {
  const { account } = wallet;
  return isObject(account) && 'signTransaction' in account ? (account as SigningAccount) : null;
}

function findSolanaSigner({ account }: TradeWallet, from: string): SolanaSigner | null {
  if (!isObject(account)) return null;
  if ('features' in account) return findStandardSigner(account, from);
  return 'signTransaction' in account ? (account as SolanaSigner) : null;
}

/** Whether the wallet can send transactions of that kind at all. */
export function canSend(wallet: TradeWallet, { type, from }: TransactionToSend): boolean {
  if (type === 'eip1559') return 'request' in wallet || findSigner(wallet) !== null;
  if (type !== 'solana-v0') return false;
  if ('cluster' in wallet) return findStandardSender(wallet.account, from) !== null;
  return 'rpcUrl' in wallet && findSolanaSigner(wallet, from) !== null;
}

/** The same bytes have the same id, so sending them twice trades once. */
async function signSolana(
  wallet: TradeWallet,
  transaction: SolanaTransaction,
): Promise<SignedTransaction> {
  const signer = findSolanaSigner(wallet, transaction.from);
  if (signer === null || !('rpcUrl' in wallet)) {
    throw new WalletRefusal('the wallet does not sign for Solana', 'WRONG_WALLET');
  }
  if (signer.address !== transaction.from) {
    throw new WalletRefusal(`the trade is of ${transaction.from}`, 'WRONG_WALLET');
  }
  const { id, base64 } = await signBytes(signer, transaction.transaction);
  const node = createNode(wallet.rpcUrl, wallet.timeoutMs);
  return {
    hash: id,
    send: async () => {
      // The build's block hash may be newer than the last final block, which is the default.
      const params = [base64, { encoding: 'base64', preflightCommitment: 'confirmed' }];
      await node.request({ method: 'sendTransaction', params });
    },
  };
}

/** Null if the wallet does not let its key sign without sending. */
export async function signForSending(
  wallet: TradeWallet,
  transaction: TransactionToSend,
): Promise<SignedTransaction | null> {
  if ('cluster' in wallet) return null;
  if (transaction.type === 'solana-v0') return signSolana(wallet, transaction);
  const account = findSigner(wallet);
  if (account === null) return null;
  if (!isSame(account.address, transaction.from)) {
    throw new WalletRefusal(`the trade is of ${transaction.from}`, 'WRONG_WALLET');
  }
  const { kind: _kind, from: _from, ...rest } = transaction;
  const amounts = {
    value: BigInt(rest.value),
    gas: BigInt(rest.gas),
    maxFeePerGas: BigInt(rest.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(rest.maxPriorityFeePerGas),
  };
  const raw = await account.signTransaction({ ...rest, ...amounts } as never);
  const node = 'rpcUrl' in wallet ? createNode(wallet.rpcUrl, wallet.timeoutMs) : wallet;
  return {
    hash: hashKeccak(raw),
    send: async () => {
      await node.request({ method: 'eth_sendRawTransaction', params: [raw] });
    },
  };
}

async function askUser<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code !== USER_REJECTED) throw error;
    throw new WalletRefusal('the user said no', 'REFUSED');
  }
}

const ask = (wallet: Eip1193Provider, method: string, params: readonly unknown[] = []) =>
  askUser(() => wallet.request({ method, params }));

/** Before each signature: account and chain may have been changed in the wallet at any time. */
async function assertWallet(
  wallet: Eip1193Provider,
  { from, chainId }: Pick<Eip1559Transaction, 'from' | 'chainId'>,
) {
  const hex = toHexNumber(chainId);
  if (Number(await ask(wallet, 'eth_chainId')) !== chainId) {
    await ask(wallet, 'wallet_switchEthereumChain', [{ chainId: hex }]);
    if (Number(await ask(wallet, 'eth_chainId')) !== chainId) {
      throw new WalletRefusal(`the wallet is not on chain ${chainId}`, 'WRONG_CHAIN');
    }
  }
  const accounts = await ask(wallet, 'eth_accounts');
  const [account] = Array.isArray(accounts) ? accounts : [];
  if (!isSame(account, from)) throw new WalletRefusal(`the trade is of ${from}`, 'WRONG_WALLET');
}

/** The account may have been changed in the wallet at any time, as may its chains. */
function prepareStandard(
  { account: wallet, cluster }: Extract<TradeWallet, { cluster: string }>,
  transaction: TransactionToSend,
): () => Promise<string> {
  const sender = findStandardSender(wallet, transaction.from);
  if (sender === null || transaction.type !== 'solana-v0') {
    throw new WalletRefusal('the wallet does not send on Solana', 'WRONG_WALLET');
  }
  const { account, send } = sender;
  const { from, requiredSigners } = transaction;
  if ([from, ...requiredSigners].some((address) => address !== account.address)) {
    throw new WalletRefusal(`the trade is of ${from}`, 'WRONG_WALLET');
  }
  if (account.chains?.includes(cluster) === false) {
    throw new WalletRefusal(`the account is not for ${cluster}`, 'WRONG_CHAIN');
  }
  return () => askUser(() => send(transaction.transaction, cluster));
}

/** Checks the wallet; what it gives has the wallet sign and send, and returns the hash. */
export async function prepareSending(
  wallet: TradeWallet,
  transaction: TransactionToSend,
): Promise<() => Promise<string>> {
  if ('cluster' in wallet) return prepareStandard(wallet, transaction);
  if (!('request' in wallet) || transaction.type !== 'eip1559') {
    throw new WalletRefusal('the account does not sign', 'WRONG_WALLET');
  }
  await assertWallet(wallet, transaction);
  const { chainId, from, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  // Without the nonce: the wallet knows what else it has sent.
  const fields = {
    ...{ chainId: toHexNumber(chainId), from, to, data, value: toHexNumber(value) },
    gas: toHexNumber(gas),
    maxFeePerGas: toHexNumber(maxFeePerGas),
    maxPriorityFeePerGas: toHexNumber(maxPriorityFeePerGas),
  };
  return async () => {
    const hash = await ask(wallet, 'eth_sendTransaction', [fields]);
    if (typeof hash !== 'string') throw new Error('the wallet gave no hash');
    return hash;
  };
}

/** A local account must sign it itself: the node behind it has no keys. */
export function canSignPermit(wallet: TradeWallet): boolean {
  const account = findSigner(wallet);
  return account === null ? 'request' in wallet : account.signTypedData !== undefined;
}

/** The wallet's signature of a message that lets the router take its tokens. */
export async function signPermit(
  wallet: TradeWallet,
  permit: Permit,
  { from, signal }: { readonly from: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const account = findSigner(wallet);
  if (account?.signTypedData !== undefined) {
    if (!isSame(account.address, from)) {
      throw new WalletRefusal(`the trade is of ${from}`, 'WRONG_WALLET');
    }
    return account.signTypedData(permit as never);
  }
  if (!('request' in wallet)) {
    throw new WalletRefusal('the account signs no typed data', 'WRONG_WALLET');
  }
  await assertWallet(wallet, { from, chainId: permit.domain.chainId });
  signal?.throwIfAborted();
  const params = [from, JSON.stringify(permit)];
  return String(await ask(wallet, 'eth_signTypedData_v4', params));
}
