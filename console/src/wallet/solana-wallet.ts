// A wallet of Solana that registers itself (Wallet Standard).

import { texts } from '../texts.ts';
import { type PageWallet, parseLook } from './page-wallet.ts';
import { askWallet, WalletError } from './wallet-error.ts';

interface StandardAccount {
  readonly address: string;
  readonly chains: readonly string[];
}

interface StandardConnect {
  connect(input?: {
    readonly silent?: boolean;
  }): Promise<{ readonly accounts: readonly StandardAccount[] }>;
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

/** Null if it is no wallet for Solana. */
export function parseSolanaWallet(registered: RegisteredWallet): PageWallet | null {
  const look = parseLook(registered);
  const given = registered.features ?? {};
  if (look === null || FEATURES.some((name) => given[name] === undefined)) return null;
  const feature = given['standard:connect'] as StandardConnect;
  const connect = async (isSilent: boolean, wanted?: string): Promise<StandardAccount> => {
    const { accounts } = await askWallet(() => feature.connect(isSilent ? { silent: true } : {}));
    // A wallet lists what it has allowed the page before, too.
    const allowed = accounts.length > 0 ? accounts : (registered.accounts ?? []);
    const account = allowed.find(({ address }) => address === wanted) ?? allowed[0];
    if (account === undefined) throw new WalletError(texts.account.noAccount);
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
    findSigner: async (address) => {
      const account = await connect(true, address);
      if (account.address !== address) throw new WalletError(texts.account.otherAccount);
      return { accounts: [account], features: given };
    },
    findSender: async (owner, chain) => ({
      account: { accounts: [await connect(true, owner)], features: given },
      cluster: pickCluster(chain),
    }),
  };
}
