// Pools that a factory creates, one contract each, as V2 and V3 do: from the factory's log, or
// confirmed by asking the pool and then its factory.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription, PoolTerms } from '../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../data/evm-ids.ts';
import type { EvmLog, LogDecoder } from '../data/evm-log.ts';
import { decodeAddressAt, hasWords, toTopicAddress } from '../data/hex-data.ts';
import type { CallContracts } from '../rpc/multicall.ts';

export const FACTORY_SELECTOR = '0xc45a0155';
export const TOKEN0_SELECTOR = '0x0dfe1681';
export const TOKEN1_SELECTOR = '0xd21220a7';

interface Fork {
  readonly venue: string;
  readonly factory: Address;
}

/** What a protocol adds to the description of a pool. */
export type PoolDetails = PoolTerms & { readonly feePips: number };

interface PoolPlace {
  readonly venue: string;
  readonly vault: Address;
  readonly token0: Address;
  readonly token1: Address;
}

function describePool(place: PoolPlace, details: PoolDetails): PoolDescription {
  return { ...place, pool: toPoolId(place.vault), ...details };
}

function indexForks<F extends Fork>(forks: readonly F[]): ReadonlyMap<Address, F> {
  return new Map(forks.map((fork) => [fork.factory, fork]));
}

export function createCreationDecoder<F extends Fork>(
  forks: readonly F[],
  log: {
    readonly topicCount: number;
    /** Which topics are the tokens; the first two unless given. */
    readonly tokensAt?: readonly [number, number];
    readonly wordCount: number;
    /** Which word is the pool's address. */
    readonly poolWord: number;
    readonly readDetails: (log: EvmLog, fork: F) => PoolDetails;
    /** What is known of a new pool beside its description. */
    readonly listChanges?: (log: EvmLog, fork: F) => readonly PoolChange[];
    /** False if logs do not tell all of a new pool's state; they do if absent. */
    readonly isWhole?: (fork: F) => boolean;
  },
): LogDecoder {
  const byFactory = indexForks(forks);
  const { topicCount, tokensAt = [1, 2], wordCount, poolWord } = log;
  const { readDetails, listChanges, isWhole } = log;
  return (one, out) => {
    const { topics, data } = one;
    const fork = byFactory.get(one.address);
    if (fork === undefined || topics.length !== topicCount) return;
    if (!hasWords(data, wordCount)) return;
    const [token0 = null, token1 = null] = tokensAt.map((at) => toTopicAddress(topics[at]));
    if (token0 === null || token1 === null) return;
    const place = { venue: fork.venue, vault: decodeAddressAt(data, poolWord), token0, token1 };
    const description = describePool(place, readDetails(one, fork));
    const complete = isWhole?.(fork) ?? true;
    const birth = complete ? {} : { isBirth: true };
    out.push({ kind: 'poolCreated', description, complete, ...birth });
    for (const change of listChanges?.(one, fork) ?? []) {
      out.push({ kind: 'poolChanged', pool: description.pool, change });
    }
  };
}

/** Describes pools that name a known factory which names them, too; others are left out. */
export async function confirmPools<F extends Fork>(
  pools: readonly PoolId[],
  callContracts: CallContracts,
  protocol: {
    readonly forks: readonly F[];
    /** Asked of a pool besides its factory and tokens; each answer is one word. */
    readonly selectors: readonly string[];
    /** Null if these answers cannot be a pool's. */
    readonly readDetails: (fork: F, answers: readonly string[]) => PoolDetails | null;
    /** Asks a factory for its pool, which gave these answers. */
    readonly encodeLookup: (pool: PoolDescription, answers: readonly string[]) => string;
  },
): Promise<PoolDescription[]> {
  const byFactory = indexForks(protocol.forks);
  const selectors = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR, ...protocol.selectors];
  const width = selectors.length;
  const said = await callContracts(
    pools.flatMap((pool) => selectors.map((data) => ({ to: toPoolContract(pool), data }))),
  );
  const claims = pools.flatMap((pool, index) => {
    const all = said.slice(index * width, (index + 1) * width);
    const answers = all.flatMap((one) => (one !== null && hasWords(one, 1) ? [one] : []));
    const [factory, token0, token1] = answers
      .slice(0, 3)
      .map((answer) => decodeAddressAt(answer, 0));
    const fork = factory === undefined ? undefined : byFactory.get(factory);
    if (answers.length < width || !fork || !token0 || !token1) return [];
    const details = protocol.readDetails(fork, answers.slice(3));
    if (details === null) return [];
    const place = { venue: fork.venue, vault: toPoolContract(pool), token0, token1 };
    const description = describePool(place, details);
    return [{ factory: fork.factory, description, answers: answers.slice(3) }];
  });
  const vouched = await callContracts(
    claims.map(({ factory, description, answers }) => ({
      to: factory,
      data: protocol.encodeLookup(description, answers),
    })),
  );
  return claims.flatMap(({ description }, index) => {
    const answer = vouched[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    return toPoolId(decodeAddressAt(answer, 0)) === description.pool ? [description] : [];
  });
}
