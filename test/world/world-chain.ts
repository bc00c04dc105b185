// A chain that a world's providers serve: it makes blocks by itself, and now and then forks.

import type { ChainAdapter, KnownPools } from '../../src/chains/adapter.ts';
import type { ChainLog } from '../../src/chains/family.ts';
import type { EndpointPool } from '../../src/chains/rpc/endpoint-pool.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Random, Sleep } from '../../src/lib/retry.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { Address } from '../../src/model/ids.ts';
import type { TrueAnswer } from '../fakes/misbehaving-rpc.ts';

export interface AdapterParts {
  readonly endpoints: EndpointPool;
  readonly knownPools: KnownPools;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: ChainLog;
}

export interface WorldChain {
  readonly slug: ChainSlug;
  readonly family: 'evm' | 'solana';
  readonly blockMs: number;
  /** What a node at the head answers. */
  readonly answer: TrueAnswer;
  /** What a node on the other branch answers; null while there is one branch only. */
  side(): TrueAnswer | null;
  readonly head: { readonly position: number; readonly hash: string };
  readonly finalized: number;
  /** Tokens that are traded, some of them since before the newest final block. */
  listTokens(): readonly Address[];
  /** Makes the next block. */
  mine(): void;
  /** Replaces the newest blocks by others; nodes on the other branch keep them for a while. */
  fork(depth: number): void;
  createAdapter(parts: AdapterParts): ChainAdapter;
}
