// What a token's contract or mint shows of itself, as facts and warnings of its safety.

import type { OutputOf } from '../contract/operation.ts';
import type { getTokenSafety } from '../contract/operations/get-token-safety.ts';
import { warnOfPowers } from '../contract/safety-warnings.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ContractFacts, MintFacts } from '../model/contract-facts.ts';
import type { Address } from '../model/ids.ts';
import type { ContractReading } from './contract-book.ts';

type SafetyReport = OutputOf<typeof getTokenSafety>;
export type TokenFact = SafetyReport['facts'][number];
export type TokenWarning = SafetyReport['warnings'][number];

/** Why there are no facts of a contract or mint. */
const NO_FACTS: Readonly<Record<Exclude<ContractReading['kind'], 'read'>, string>> = {
  pending: 'The chain is being asked; ask again after some seconds.',
  failed: 'The node of the chain did not answer; it is asked again.',
  noCode: 'There is no contract or mint at this address.',
  unsupported: 'Tokens of this chain have no code of their own.',
};

const CONTRACT_CODES = ['OWNER', 'MINTABLE', 'PROXY'] as const;
const MINT_CODES = [
  ...['TOKEN_PROGRAM', 'MINT_AUTHORITY', 'FREEZE_AUTHORITY', 'TRANSFER_FEE_BPS'],
  ...['TRANSFER_FEE_MAX_RAW', 'TRANSFER_HOOK', 'PERMANENT_DELEGATE', 'FROZEN_BY_DEFAULT'],
  ...['PAUSE_AUTHORITY', 'PAUSED', 'TRANSFERABLE', 'TOP10_ACCOUNTS_PCT'],
] as const;

function listContractFacts(facts: ContractFacts, addresses: AddressCodec): TokenFact[] {
  const source = 'contract' as const;
  const { owner, isMintable, isProxy } = facts;
  const noOwner = { value: null, source, reason: 'The contract names no owner.' };
  const elsewhere = { value: null, source, reason: 'The code is behind a proxy.' };
  return [
    {
      code: 'OWNER',
      ...(owner === null ? noOwner : { value: addresses.toShown(owner), source }),
    },
    { code: 'MINTABLE', ...(isMintable === null ? elsewhere : { value: isMintable, source }) },
    { code: 'PROXY', value: isProxy, source },
  ];
}

function listMintFacts(facts: MintFacts, addresses: AddressCodec): TokenFact[] {
  const { slot, transferFee, nextTransferFee, largestPct } = facts;
  /** False says that nobody has the power. */
  const nameHolder = (holder: Address | null) =>
    holder === null ? false : addresses.toShown(holder);
  const values: readonly (readonly [string, TokenFact['value']])[] = [
    ['TOKEN_PROGRAM', facts.program],
    ['MINT_AUTHORITY', nameHolder(facts.mintAuthority)],
    ['FREEZE_AUTHORITY', nameHolder(facts.freezeAuthority)],
    ['TRANSFER_FEE_BPS', transferFee?.bps ?? 0],
    ['TRANSFER_FEE_MAX_RAW', transferFee?.maxRaw.toString() ?? '0'],
    ...(nextTransferFee === null
      ? []
      : ([['NEXT_TRANSFER_FEE_BPS', nextTransferFee.bps]] as const)),
    ['TRANSFER_HOOK', nameHolder(facts.transferHook)],
    ['PERMANENT_DELEGATE', nameHolder(facts.permanentDelegate)],
    ['FROZEN_BY_DEFAULT', facts.isDefaultFrozen],
    ['PAUSE_AUTHORITY', nameHolder(facts.pauseAuthority)],
    ['PAUSED', facts.isPaused],
    ['TRANSFERABLE', facts.isTransferable],
    ['TOP10_ACCOUNTS_PCT', largestPct],
  ];
  return values.map(([code, value]) => ({
    ...{ code, value, source: 'mint', block: slot },
    ...(value === null ? { reason: 'The node does not list the largest accounts.' } : {}),
  }));
}

/** A fact that is unknown says why. */
export function listTokenFacts(
  reading: ContractReading,
  of: { readonly addresses: AddressCodec; readonly hasMints: boolean },
): TokenFact[] {
  if (reading.kind === 'read') {
    const { facts } = reading;
    return facts.kind === 'mint'
      ? listMintFacts(facts, of.addresses)
      : listContractFacts(facts, of.addresses);
  }
  const source = of.hasMints ? 'mint' : 'contract';
  const unknown = { value: null, source, reason: NO_FACTS[reading.kind] } as const;
  const codes: readonly string[] = of.hasMints ? MINT_CODES : CONTRACT_CODES;
  return codes.map((code) => ({ code, ...unknown }));
}

/** Powers of others over a holder's tokens; none of tokens that everybody uses as money. */
export function* listPowerWarnings(
  reading: ContractReading,
  isAsset: boolean,
): Generator<TokenWarning> {
  if (reading.kind !== 'read' || reading.facts.kind !== 'mint' || isAsset) return;
  const { facts } = reading;
  const powers = {
    canMint: facts.mintAuthority !== null,
    canFreeze: facts.freezeAuthority !== null,
    canTake: facts.permanentDelegate !== null,
  };
  for (const [code, message] of warnOfPowers(powers)) yield { code, message };
  if (facts.transferHook !== null) {
    yield { code: 'TRANSFER_HOOK', message: 'Every transfer calls a program of its own.' };
  }
  if (facts.isDefaultFrozen) {
    const message = 'New accounts of the token are frozen until its authority thaws them.';
    yield { code: 'FROZEN_BY_DEFAULT', message };
  }
  if (facts.pauseAuthority !== null) {
    const message = facts.isPaused
      ? 'All transfers of the token are stopped.'
      : 'Its authority may stop all transfers of the token.';
    yield { code: 'PAUSABLE', message };
  }
  if (!facts.isTransferable) {
    yield { code: 'NON_TRANSFERABLE', message: 'The token cannot be transferred.' };
  }
  if (facts.nextTransferFee !== null) {
    const pct = facts.nextTransferFee.bps / 100;
    const message = `From epoch ${facts.nextTransferFee.fromEpoch} on, transfers cost ${pct} %.`;
    yield { code: 'TRANSFER_FEE_CHANGES', message };
  }
}
