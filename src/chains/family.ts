// A family of chains (EVM, Solana): the only code that knows how its chains name things, sign, are
// read and trade. One object per family, in `src/chains/<family>/`; `engines/chain-families.ts`
// lists them and picks one by a chain's slug.

import type { Clock } from '../lib/clock.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ArchiveSettings } from '../model/archive-place.ts';
import type { ChainInfo, ChainSlug } from '../model/chain.ts';
import type { ChainContracts } from '../model/chain-contracts.ts';
import type { Address, TransactionId } from '../model/ids.ts';
import type { PoolDescription, PoolTerms } from '../model/pool.ts';
import type { PoolHook } from '../model/pool-hook.ts';
import type { RpcBudget } from '../model/rpc-usage.ts';
import type { ChainMarket, ChainNodes } from './chain-nodes.ts';
import type { EndpointReport } from './endpoint-measurement.ts';
import type { SharedEndpoints } from './endpoint-memory.ts';
import type { HopBytes, SwapCost } from './transaction-costs.ts';
import type { WalletSignatures } from './wallet-signatures.ts';

export interface ChainFamily {
  readonly name: ChainInfo['family'];
  readonly addresses: AddressCodec;
  readonly transactionIds: {
    /** The stored form of an id; null if the text is not an id. */
    parse(text: string): TransactionId | null;
    /** Describes a valid id, for the error message about an invalid one. */
    readonly rule: string;
  };
  readonly wallets: WalletSignatures;
  /**
   * The web page about a token; null on a chain that no public explorer shows, such as the devnet.
   */
  findTokenPage(chain: ChainInfo, token: Address): string | null;
  /** Null for a family whose wallets can sign in, but whose chains cannot be followed yet. */
  readonly markets: FamilyMarkets | null;
}

/** Where a chain is read from. Plain data: it crosses to other threads. */
export interface ChainSource {
  readonly chain: ChainSlug;
  readonly endpoints: readonly string[];
  /** WebSocket URLs of nodes that announce their blocks; none by default. */
  readonly sockets?: readonly string[];
  /** Without it, calls are counted and not limited. */
  readonly budget?: RpcBudget;
  /** What the devnet's file says; null for chains whose contracts the family knows. */
  readonly devnet: unknown;
  /** What the operator's file says of the chain; none if it has no entry. */
  readonly contracts?: ChainContracts | null;
  /** On Solana: tables of addresses that shorten transactions; none by default. */
  readonly lookupTables?: readonly string[];
  /** Where history is read from in place of the endpoints. */
  readonly archives?: ArchiveSettings;
  /** Null starts at the finalized block. */
  readonly startBlock: number | null;
  /** Identifies one chain of a devnet, which may be replaced by a new one; null for real chains. */
  readonly instance: string | null;
}

/** The log as an interface, so that no logging library is named here. */
export interface ChainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface NodeParts {
  readonly clock: Clock;
  readonly log: ChainLog;
  /** Absent if no other thread uses the same nodes. */
  readonly shared?: SharedEndpoints;
}

/** The operator's file contradicts what the family knows of a chain. */
export class ContractsError extends Error {
  override readonly name = 'ContractsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** What is needed to follow the family's chains and to trade on them. */
export interface FamilyMarkets {
  /**
   * Makes no request. Throws if the chain's contracts are not known, and a `ContractsError` if the
   * operator's file contradicts them.
   */
  describe(source: ChainSource): ChainMarket;
  /** One pool of endpoints, shared by all uses. Makes no request yet. */
  open(source: ChainSource, parts: NodeParts): ChainNodes;
  /** Measures what each endpoint can do, in a bounded number of calls. */
  measure(source: ChainSource, parts: NodeParts, signal: AbortSignal): Promise<EndpointReport[]>;
  /** The contract that the pool calls around swaps; null if there is none. */
  findHook(pool: PoolDescription): PoolHook | null;
  /** What a swap in the pool uses of a transaction, in the family's own unit. */
  findSwapCost(pool: PoolTerms): SwapCost;
  /** What a swap in the pool adds to a transaction's length. */
  findHopBytes(pool: PoolTerms & { readonly feePips?: number }): HopBytes;
}
