// Signs in with a wallet: the server writes a text, the wallet signs it, no key leaves it.

import type { SignIn } from './contract.gen.ts';
import type { CallOptions, MintwireClient } from './create-client.ts';

/** EIP-1193, as browsers' wallets have it. */
export interface Eip1193Provider {
  request(call: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
}

/** A viem account, or anything that signs texts (EIP-191) for an address. */
export interface MessageAccount {
  readonly address: string;
  signMessage(call: { readonly message: string }): Promise<string>;
}

/** A viem wallet client. */
export interface MessageClient {
  readonly account: { readonly address: string };
  signMessage(call: { readonly message: string; readonly account: never }): Promise<string>;
}

/** A Solana wallet as its adapters and extensions have it. */
export interface SolanaWallet {
  readonly publicKey: { toBase58(): string } | null;
  signMessage(message: Uint8Array): Promise<Uint8Array | { readonly signature: Uint8Array }>;
}

/** A Solana wallet of the Wallet Standard, connected. */
export interface StandardWallet {
  readonly accounts: readonly {
    readonly address: string;
    readonly chains?: readonly string[];
  }[];
  readonly features: Readonly<Record<string, unknown>>;
}

export type SignInWallet =
  | Eip1193Provider
  | MessageAccount
  | MessageClient
  | SolanaWallet
  | StandardWallet;

export interface WalletSignInOptions extends CallOptions {
  /**
   * Slug or CAIP-2 identifier. By default the chain that the wallet stands on, or `ethereum` or
   * `solana`: only a contract wallet must name the chain that it is deployed on.
   */
  readonly chain?: string | undefined;
  /** Host of the page that signs in, if it is not the server's. */
  readonly domain?: string | undefined;
}

interface TextSigner {
  readonly address: string;
  readonly chain: string;
  sign(text: string): Promise<string>;
}

type StandardSign = (call: {
  readonly account: unknown;
  readonly message: Uint8Array;
}) => Promise<readonly { readonly signature: Uint8Array }[]>;

const encodeText = (text: string) => new TextEncoder().encode(text);

export function toHexText(text: string): string {
  const bytes = Array.from(encodeText(text), (byte) => byte.toString(16).padStart(2, '0'));
  return `0x${bytes.join('')}`;
}

export const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

async function readProvider(provider: Eip1193Provider): Promise<TextSigner> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const [address] = Array.isArray(accounts) ? accounts : [];
  if (typeof address !== 'string') throw new TypeError('the wallet gives no account');
  const chainId = Number(await provider.request({ method: 'eth_chainId' }));
  return {
    address,
    chain: `eip155:${chainId}`,
    sign: async (text) => {
      const params = [toHexText(text), address];
      return String(await provider.request({ method: 'personal_sign', params }));
    },
  };
}

function readSolana(wallet: SolanaWallet): TextSigner {
  const address = wallet.publicKey?.toBase58();
  if (address === undefined) throw new TypeError('the wallet is not connected');
  return {
    address,
    chain: 'solana',
    sign: async (text) => {
      const signed = await wallet.signMessage(encodeText(text));
      return toBase64('signature' in signed ? signed.signature : signed);
    },
  };
}

function readStandard({ accounts, features }: StandardWallet): TextSigner {
  const [account] = accounts;
  const feature = features['solana:signMessage'] as { signMessage: StandardSign } | undefined;
  if (account === undefined) throw new TypeError('the wallet is not connected');
  if (feature === undefined) throw new TypeError('the wallet signs no messages');
  return {
    address: account.address,
    chain: 'solana',
    sign: async (text) => {
      const [signed] = await feature.signMessage({ account, message: encodeText(text) });
      if (signed === undefined) throw new TypeError('the wallet gave no signature');
      return toBase64(signed.signature);
    },
  };
}

async function readSigner(wallet: SignInWallet): Promise<TextSigner> {
  if ('features' in wallet) return readStandard(wallet);
  if ('publicKey' in wallet && 'toBase58' in Object(wallet.publicKey)) {
    return readSolana(wallet as SolanaWallet);
  }
  if (!('signMessage' in wallet)) return readProvider(wallet as Eip1193Provider);
  // A wallet client has its account inside; an account is one itself.
  const account = 'account' in wallet ? wallet.account : (wallet as MessageAccount);
  const sign = wallet.signMessage.bind(wallet) as (call: object) => Promise<string>;
  return {
    address: account.address,
    chain: 'ethereum',
    sign: (message) => sign('account' in wallet ? { message, account } : { message }),
  };
}

/** Starts a session, which the client uses from then on. */
export async function startWalletSession(
  client: MintwireClient,
  wallet: SignInWallet,
  options: WalletSignInOptions = {},
): Promise<SignIn> {
  const { chain, domain, ...how } = options;
  const signer = await readSigner(wallet);
  const asked = {
    address: signer.address,
    chain: chain ?? signer.chain,
    domain,
  };
  const { challengeId, message } = await client.createChallenge(asked, how);
  const signature = await signer.sign(message);
  const transport = client.sessionTransport;
  const session = await client.verifyChallenge({ challengeId, signature, transport }, how);
  if (session.token !== undefined) client.setSessionToken(session.token);
  return session;
}
