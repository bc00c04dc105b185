// A family of chains (EVM, Solana): the only code that knows how its chains name things, sign, are
// read and trade. One object per family, in `src/chains/<family>/`; `compose/chain-families.ts`
// lists them and picks one by `CHAINS[slug].family`.

import type { Clock } from '../lib/clock.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainInfo, ChainSlug } from '../model/chain.ts';
import type { Address, TransactionId } from '../model/ids.ts';
import type { PoolDescription, PoolTerms } from '../model/pool.ts';
import type { ChainMarket, ChainNodes } from './chain-nodes.ts';
import type { SharedEndpoints } from './endpoint-memory.ts';
import type { HopBytes } from './transaction-costs.ts';
import type { WalletSignatures } from './wallet-signatures.ts';

export interface ChainFamily {
  readonly name: ChainInfo['family'];
  readonly addresses: AddressCodec;
  readonly transactionIds: {
    /** The form in which ids are stored; null for what is no id. */
    parse(text: string): TransactionId | null;
    /** What a caller is told who gave something else. */
    readonly rule: string;
  };
  readonly wallets: WalletSignatures;
  /** Null for a chain that no public explorer shows, such as the devnet. */
  findExplorer(chain: ChainSlug): ChainExplorer | null;
  /** Null for a family whose wallets can sign in, but whose chains cannot be followed yet. */
  readonly markets: FamilyMarkets | null;
}

/** Web addresses of pages about things on a chain. */
export interface ChainExplorer {
  transaction(id: TransactionId): string;
  address(address: Address): string;
  token(token: Address): string;
}

/** Where a chain is read from. Plain data: it crosses to other threads. */
export interface ChainSource {
  readonly chain: ChainSlug;
  readonly endpoints: readonly string[];
  /** What the devnet's file says; null for chains whose contracts the family knows. */
  readonly devnet: unknown;
  /** Null starts at the finalized block. */
  readonly startBlock: number | null;
  /** Names one life of a devnet, which may be thrown away and begun anew; null for real chains. */
  readonly instance: string | null;
}

/** Plain logging, so that no engine of it is named here. */
export interface ChainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface NodeParts {
  readonly clock: Clock;
  readonly log: ChainLog;
  /** Absent where no other thread asks the same nodes. */
  readonly shared?: SharedEndpoints;
}

/** What following the family's chains, and trading on them, takes. */
export interface FamilyMarkets {
  /** Asks no node. Throws where the chain's contracts are not known. */
  describe(source: ChainSource): ChainMarket;
  /** One pool of endpoints, shared by all uses. Asks nothing yet. */
  open(source: ChainSource, parts: NodeParts): ChainNodes;
  /** Whether nothing but the pool itself decides what its swaps pay: no hook has a say. */
  leavesSwapsAlone(pool: PoolDescription): boolean;
  /** What a swap in the pool adds to a transaction's length. */
  findHopBytes(pool: PoolTerms): HopBytes;
}
