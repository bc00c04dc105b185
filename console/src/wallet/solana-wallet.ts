// A wallet of Solana that registers itself (Wallet Standard).

import { dialogTexts } from '../dialog-texts.ts';
import { toBase58 } from '../format/to-base58.ts';
import {
  type BuiltTransaction,
  type PageWallet,
  parseLook,
  type TradeSender,
} from './page-wallet.ts';
import { askWallet, WalletError } from './wallet-error.ts';

interface StandardAccount {
  readonly address: string;
  readonly chains: readonly string[];
}

interface StandardFeatures {
  readonly 'standard:connect': {
    connect(input?: {
      readonly silent?: boolean;
    }): Promise<{ readonly accounts: readonly StandardAccount[] }>;
  };
  readonly 'solana:signMessage': {
    signMessage(input: {
      readonly account: StandardAccount;
      readonly message: Uint8Array;
    }): Promise<readonly { readonly signature: Uint8Array }[]>;
  };
  readonly 'solana:signAndSendTransaction': {
    signAndSendTransaction(input: {
      readonly account: StandardAccount;
      readonly transaction: Uint8Array;
      readonly chain: string;
    }): Promise<readonly { readonly signature: Uint8Array }[]>;
  };
}

/** A feature that a wallet need not have. */
interface StandardEvents {
  on(event: 'change', listener: () => void): () => void;
}

/** What a wallet registers, as far as we use it. */
export interface RegisteredWallet {
  readonly name?: unknown;
  readonly icon?: unknown;
  readonly accounts?: readonly StandardAccount[];
  readonly features?: Readonly<Record<string, unknown>>;
}

const FEATURES = [
  'standard:connect',
  'solana:signMessage',
  'solana:signAndSendTransaction',
] as const;

const MAINNET_SLUG = 'solana';

/** The standard names clusters; chains of ours that are not the main one run on this machine. */
function pickCluster(chain: string): string {
  return chain === MAINNET_SLUG ? 'solana:mainnet' : 'solana:localnet';
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

interface SolanaSending extends TradeSender {
  readonly features: StandardFeatures;
  readonly account: StandardAccount;
  readonly transaction: BuiltTransaction;
}

/** The account may have been changed in the wallet at any time. */
async function sendSolanaTransaction(sending: SolanaSending): Promise<string> {
  const { features, account, transaction, owner } = sending;
  if (transaction.type !== 'solana-v0') throw new WalletError(dialogTexts.swap.otherFamily);
  const signers = [account.address, transaction.from, ...transaction.requiredSigners];
  if (signers.some((address) => address !== owner)) {
    throw new WalletError(dialogTexts.swap.otherAccount(owner));
  }
  const chain = pickCluster(sending.chain);
  if (!account.chains.includes(chain)) throw new WalletError(dialogTexts.swap.otherChain(chain));
  const bytes = fromBase64(transaction.transaction);
  const feature = features['solana:signAndSendTransaction'];
  const [sent] = await askWallet(() =>
    feature.signAndSendTransaction({ account, transaction: bytes, chain }),
  );
  if (!(sent?.signature instanceof Uint8Array)) throw new WalletError(dialogTexts.swap.noHash);
  return toBase58(sent.signature);
}

/** Null if it is no wallet for Solana. */
export function parseSolanaWallet(registered: RegisteredWallet): PageWallet | null {
  const look = parseLook(registered);
  const given = registered.features ?? {};
  if (look === null || FEATURES.some((name) => given[name] === undefined)) return null;
  const features = given as unknown as StandardFeatures;
  const connect = async (isSilent: boolean, wanted?: string): Promise<StandardAccount> => {
    const { accounts } = await askWallet(() =>
      features['standard:connect'].connect(isSilent ? { silent: true } : {}),
    );
    // A wallet lists what it has allowed the page before, too.
    const allowed = accounts.length > 0 ? accounts : (registered.accounts ?? []);
    const account = allowed.find(({ address }) => address === wanted) ?? allowed[0];
    if (account === undefined) throw new WalletError(dialogTexts.account.noAccount);
    return account;
  };
  const id = `solana:${look.name}`;
  return {
    ...look,
    uuid: id,
    id,
    namespace: 'solana',
    connect: async () => (await connect(false)).address,
    readAddress: async (wanted) => (await connect(true, wanted)).address,
    readCaip2: async () => null,
    watch: (onChange) => {
      const events = given['standard:events'] as Partial<StandardEvents> | undefined;
      return events?.on?.('change', onChange) ?? (() => undefined);
    },
    signText: async (text, address) => {
      const account = await connect(true, address);
      if (account.address !== address) throw new WalletError(dialogTexts.account.otherAccount);
      const message = new TextEncoder().encode(text);
      const feature = features['solana:signMessage'];
      const [signed] = await askWallet(() => feature.signMessage({ account, message }));
      if (!(signed?.signature instanceof Uint8Array)) {
        throw new WalletError(dialogTexts.account.noSignature);
      }
      return toBase58(signed.signature);
    },
    send: async (transaction, sender) => {
      const account = await connect(true, sender.owner);
      return sendSolanaTransaction({ ...sender, features, transaction, account });
    },
  };
}
