// What an operator's file (`CHAINS_FILE`) says of a protocol: the contracts that its entries name,
// and what those must answer at the start. A wrong address would index nothing, or wrong data.

import type { FactoryEntry } from '../../../model/chain-contracts.ts';
import type { Address } from '../../../model/ids.ts';
import type { EvmDeployment, VenueContracts } from '../data/deployments/evm-deployment.ts';
import { evmAddress } from '../data/evm-ids.ts';
import { addressWord, decodeAddressAt, encodeCallData, hasWords } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { FACTORY_SELECTOR } from './factory-pools.ts';
import type { VenueFactory } from './venue-table.ts';

/** A contract that the file names, and what it must answer. */
export interface Claim {
  readonly path: string;
  readonly address: Address;
  readonly asks: readonly string[];
  /** What is wrong with the answers; null if nothing is. */
  readonly judge: (answers: readonly (string | null)[]) => string | null;
}

/** A protocol takes those of all entries that are its own. */
export interface FileEntries {
  /** Beside those that are known of the chain; without any, what a chain without venues has. */
  addContracts(
    entries: readonly FactoryEntry[],
    known: Partial<VenueContracts>,
  ): Partial<VenueContracts>;
  listClaims(entry: FactoryEntry, place: ClaimPlace): readonly Claim[];
  /** Absent if its pools are contracts. Null if the chain has no venue of the protocol. */
  claimAnchor?(id: string, path: string, deployment: EvmDeployment): Claim | null;
}

interface ClaimPlace {
  readonly path: string;
  /** The chain's wrapped coin. */
  readonly wrapped: Address;
}

export const toOptionalAddress = (text: string | null): Address | null =>
  text === null ? null : evmAddress(text);

/** What the operator says of a fork counts more than a list that nobody checked. */
export function leaveOutNamed<F extends VenueFactory>(
  forks: readonly F[] = [],
  entries: readonly FactoryEntry[],
): F[] {
  const isNamed = ({ factory, venue }: F) =>
    entries.some((one) => one.venue === venue || findFactory(one) === factory);
  return forks.filter((fork) => fork.isSearched !== false || !isNamed(fork));
}

/** Null if the entry has none. */
export function findFactory(entry: FactoryEntry): Address | null {
  return 'factory' in entry ? evmAddress(entry.factory) : null;
}

/** One word, as a number, an address or bytes; null if the contract gave no such answer. */
export function toWord(answer: string | null | undefined): string | null {
  return answer != null && hasWords(answer, 1) ? answer : null;
}

export function claim(
  path: string,
  text: string,
  asks: readonly string[] = [],
  judge: Claim['judge'] = () => null,
): Claim {
  return { path, address: evmAddress(text), asks, judge };
}

/** A getter that must give exactly this address. */
export function judgeAddress(
  answer: string | null | undefined,
  what: string,
  wanted: string,
): string | null {
  const word = toWord(answer);
  const found = word === null ? 'nothing' : decodeAddressAt(word, 0);
  return found === wanted ? null : `names the ${what} ${found}, not ${wanted}`;
}

/** A factory of another layout finds the pool of two tokens, or none, in its own way. */
export function claimLike(
  { factory, layout }: { readonly factory: string; readonly layout?: string },
  path: string,
  lookup: { readonly selector: string; readonly key: readonly string[] },
): Claim {
  const tokens = [addressWord(ZERO_ADDRESS), addressWord(ZERO_ADDRESS)];
  const ask = encodeCallData(lookup.selector, ...tokens, ...lookup.key);
  return claim(`${path}.factory`, factory, [ask], ([answer]) =>
    toWord(answer) === null ? `is no factory of the layout ${layout}: it finds no pools` : null,
  );
}

/** A contract that names its factory. */
export function claimOfFactory(path: string, text: string, factory: string): Claim {
  return claim(path, text, [FACTORY_SELECTOR], ([answer]) =>
    judgeAddress(answer, 'factory', factory),
  );
}

/** A contract that names its factory and the wrapped coin, and tells more. */
export function claimPeriphery(
  text: string | null | undefined,
  place: ClaimPlace & { readonly factory: string; readonly wrappedAsk: string },
  more: Pick<Claim, 'asks' | 'judge'> = { asks: [], judge: () => null },
): Claim[] {
  if (text == null) return [];
  const { path, factory, wrapped, wrappedAsk } = place;
  const asks = [FACTORY_SELECTOR, wrappedAsk, ...more.asks];
  return [
    claim(path, text, asks, ([named, coin, ...rest]) => {
      const problem = judgeAddress(named, 'factory', factory);
      return problem ?? judgeAddress(coin, 'wrapped coin', wrapped) ?? more.judge(rest);
    }),
  ];
}
