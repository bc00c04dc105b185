// Signed permits of the tokens themselves: EIP-2612 and DAI's form, which is older. Routers with
// Uniswap's `SelfPermit` hand them to the token in the transaction of the swap.

import type { Hex } from 'viem';
import {
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  toHex,
} from 'viem/utils';
import type { Permit } from '../../../contract/schemas/transaction-schemas.ts';
import type { Address } from '../../../model/ids.ts';
import type { PermitTerms, SignedPermit } from '../../chain-transactions.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toShownAddress } from '../data/checksum-address.ts';
import { addressWord, encodeCallData, hasWords, uintAt } from '../data/hex-data.ts';
import { decodeText } from '../tokens/read-token-metadata.ts';

type TokenPermitForm = Exclude<PermitTerms['form'], 'permit2'>;

/** What a token says of its permits. */
export interface TokenPermit {
  readonly form: TokenPermitForm;
  readonly name: string;
  /** Null if it is no part of the token's domain. */
  readonly version: string | null;
  /** How many permits of the wallet were used. */
  readonly nonce: number;
}

interface TokenPermitParties {
  readonly token: Address;
  readonly owner: Address;
  readonly router: Address;
}

const TOKEN_ABI = {
  eip2612: parseAbi([
    'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  ]),
  dai: parseAbi([
    'function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  ]),
} as const;
/**
 * Those that do nothing if the allowance is there already: anybody who sees the signature may hand
 * it to the token before, and the others would then revert.
 */
const SELF_PERMIT_ABI = parseAbi([
  'function selfPermitIfNecessary(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
  'function selfPermitAllowedIfNecessary(address token, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s) payable',
]);
/** Of those two: a router that has one compares the call's first bytes with it. */
const SELF_PERMIT_SELECTORS = { eip2612: 'c2e3140a', dai: 'a4a78f0c' } as const;

const FORMS = ['eip2612', 'dai'] as const;
const PERMIT_TYPES = {
  eip2612: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  dai: [
    { name: 'holder', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'allowed', type: 'bool' },
  ],
} as const;
type TypedField = Permit['types']['EIP712Domain'][number];

function hashType(name: string, fields: readonly TypedField[]): Hex {
  const text = fields.map((field) => `${field.type} ${field.name}`).join(',');
  return keccak256(toHex(`${name}(${text})`));
}

const FORM_BY_TYPE_HASH = new Map(
  FORMS.map((form) => [hashType('Permit', PERMIT_TYPES[form]), form] as const),
);

function listDomainFields(version: string | null): TypedField[] {
  return [
    { name: 'name', type: 'string' },
    ...(version === null ? [] : [{ name: 'version', type: 'string' }]),
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ];
}

interface TokenDomain extends Pick<TokenPermit, 'name' | 'version'> {
  readonly chainId: number;
  readonly token: Address;
}

function hashDomain({ name, version, chainId, token }: TokenDomain): Hex {
  const texts = version === null ? [name] : [name, version];
  const hashes = [
    hashType('EIP712Domain', listDomainFields(version)),
    ...texts.map((text) => keccak256(toHex(text))),
  ];
  const end = parseAbiParameters('uint256, address');
  const tail = encodeAbiParameters(end, [BigInt(chainId), token as Hex]);
  return keccak256(`0x${hashes.map((hash) => hash.slice(2)).join('')}${tail.slice(2)}`);
}

const CALLS = {
  domainSeparator: '0x3644e515',
  nonces: '0x7ecebe00',
  name: '0x06fdde03',
  version: '0x54fd4d50',
  typeHash: '0x30adf81f',
} as const;
const READ_GAS = '0x1e8480';
/** The version of tokens that do not tell theirs. */
const USUAL_VERSION = '1';

const NO_SIGNATURE = { v: 27, r: `0x${'0'.repeat(63)}1`, s: `0x${'0'.repeat(63)}1` } as const;
type Signature = { readonly v: number; readonly r: Hex; readonly s: Hex };

/** The token's own call, which the router makes for the wallet. */
function encodeTokenCall(
  { owner, router }: TokenPermitParties,
  { form, amountRaw, nonce, deadlineSeconds }: Omit<PermitTerms, 'router'>,
  { v, r, s }: Signature,
): Hex {
  const deadline = BigInt(deadlineSeconds);
  const parties = [owner as Hex, router as Hex] as const;
  return form === 'dai'
    ? encodeFunctionData({
        abi: TOKEN_ABI.dai,
        args: [...parties, BigInt(nonce), deadline, true, v, r, s],
      })
    : encodeFunctionData({
        abi: TOKEN_ABI.eip2612,
        args: [...parties, amountRaw, deadline, v, r, s],
      });
}

function readWord(outcome: RpcOutcome | undefined): bigint | null {
  if (outcome?.ok !== true || typeof outcome.result !== 'string') return null;
  return hasWords(outcome.result, 1) ? uintAt(outcome.result, 0) : null;
}

function readText(outcome: RpcOutcome | undefined): string | null {
  return outcome?.ok && typeof outcome.result === 'string' ? decodeText(outcome.result) : null;
}

/** Throws unless it is what the contract itself does: trouble of a node says nothing of a token. */
function assertOwn(outcome: RpcOutcome): void {
  if (!outcome.ok && !isRpcError(outcome.error, 'reverted', 'rejected')) throw outcome.error;
}

/** A token without the function reverts without a reason, and one that takes anything does not. */
function refusesWithReason(outcome: RpcOutcome | undefined): boolean {
  return outcome?.ok === false && (outcome.error.data ?? '0x').length > 2;
}

function refuses(outcome: RpcOutcome | undefined): boolean {
  return outcome?.ok === false && outcome.error.kind === 'reverted';
}

/** By the type that the token names; else by which of the two calls refuses a wrong signature. */
function findForm(
  typeHash: bigint | null,
  wrongly: Readonly<Record<TokenPermitForm, RpcOutcome | undefined>>,
): TokenPermitForm | null {
  if (typeHash !== null) {
    const form = FORM_BY_TYPE_HASH.get(`0x${typeHash.toString(16).padStart(64, '0')}`) ?? null;
    return form !== null && refuses(wrongly[form]) ? form : null;
  }
  const [form, ...others] = FORMS.filter((one) => refusesWithReason(wrongly[one]));
  return others.length > 0 ? null : (form ?? null);
}

/**
 * Null if the token has no permits in a form that we know, the router cannot pass them on, or the
 * wallet has code: then some tokens take its key's signature and others ask the code (FiatToken
 * v2.2, which is USDC, asks it of delegated wallets, too). Nothing is believed by name: the domain
 * is the one whose hash the token tells, and a wrong signature must be refused (WETH9 takes any
 * call).
 */
export async function readTokenPermit(
  client: RpcClient,
  parties: TokenPermitParties,
  chainId: number,
): Promise<TokenPermit | null> {
  const { token, owner, router } = parties;
  const call = (data: string): RpcCall => ({
    method: 'eth_call',
    params: [{ to: token, data, gas: READ_GAS }, 'latest'],
  });
  const wrong = { amountRaw: 1n, nonce: 0, deadlineSeconds: 2 ** 40 };
  const { routerCode, ownerCode, answers } = await client.at(async (endpoint) => {
    const outcomes = await endpoint.batch([
      { method: 'eth_getCode', params: [router, 'latest'] },
      { method: 'eth_getCode', params: [owner, 'latest'] },
      call(CALLS.domainSeparator),
      call(encodeCallData(CALLS.nonces, addressWord(owner))),
      ...[CALLS.name, CALLS.version, CALLS.typeHash].map(call),
      ...FORMS.map((form) => call(encodeTokenCall(parties, { ...wrong, form }, NO_SIGNATURE))),
    ]);
    const [ofRouter, ofOwner, ...answers] = outcomes;
    answers.forEach(assertOwn);
    const [routerCode, ownerCode] = [ofRouter, ofOwner].map((one) => String(endpoint.unwrap(one)));
    return { routerCode, ownerCode, answers };
  });
  if (ownerCode !== '0x') return null;
  const [separator, nonces, name, version, typeHash, eip2612, dai] = answers;
  const [hash, nonce, ownName] = [readWord(separator), readWord(nonces), readText(name)];
  const form = findForm(readWord(typeHash), { eip2612, dai });
  if (form === null || hash === null || nonce === null || ownName === null) return null;
  if (nonce > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  if (routerCode?.toLowerCase().includes(SELF_PERMIT_SELECTORS[form]) !== true) return null;
  const versions = [...new Set([readText(version) ?? USUAL_VERSION, USUAL_VERSION, null])];
  const found = versions.find((one) => {
    return BigInt(hashDomain({ name: ownName, version: one, chainId, token })) === hash;
  });
  if (found === undefined) return null;
  return { form, name: ownName, version: found, nonce: Number(nonce) };
}

/** What the wallet signs. */
export function buildTokenPermitMessage(
  { token, owner, router }: TokenPermitParties,
  { form, name, version, nonce }: TokenPermit,
  { amountRaw, deadlineSeconds, chainId }: PermitTerms & { readonly chainId: number },
): Permit {
  const spender = toShownAddress(router);
  const [wallet, until, count] = [toShownAddress(owner), `${deadlineSeconds}`, `${nonce}`];
  return {
    domain: {
      ...{ name, chainId, verifyingContract: toShownAddress(token) },
      ...(version === null ? {} : { version }),
    },
    types: { EIP712Domain: listDomainFields(version), Permit: [...PERMIT_TYPES[form]] },
    primaryType: 'Permit',
    message:
      form === 'dai'
        ? { holder: wallet, spender, nonce: count, expiry: until, allowed: true }
        : { owner: wallet, spender, value: `${amountRaw}`, nonce: count, deadline: until },
  };
}

const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})$/i;

/** As keys sign: 65 bytes, the last of which some wallets count from 0. Null for anything else. */
function parseSignature(text: string): Signature | null {
  const [, r, s, last = ''] = SIGNATURE.exec(text) ?? [];
  if (r === undefined || s === undefined) return null;
  const v = Number.parseInt(last, 16);
  return { v: v < 27 ? v + 27 : v, r: `0x${r}`, s: `0x${s}` };
}

/** The token's own call with the signature, to see whether it accepts it; null if it cannot. */
export function encodeTokenPermitCall(
  parties: TokenPermitParties,
  permit: SignedPermit,
): Hex | null {
  const signature = parseSignature(permit.signature);
  return signature === null ? null : encodeTokenCall(parties, permit, signature);
}

/** The router's call before the swap. */
export function encodeSelfPermit(token: Address, permit: SignedPermit): Hex {
  const signature = parseSignature(permit.signature);
  if (signature === null) throw new Error('a permit whose signature was not checked');
  const { v, r, s } = signature;
  const { form, amountRaw, nonce } = permit;
  const deadline = BigInt(permit.deadlineSeconds);
  const isDai = form === 'dai';
  return encodeFunctionData({
    abi: SELF_PERMIT_ABI,
    functionName: isDai ? 'selfPermitAllowedIfNecessary' : 'selfPermitIfNecessary',
    args: [token as Hex, isDai ? BigInt(nonce) : amountRaw, deadline, v, r, s],
  });
}
