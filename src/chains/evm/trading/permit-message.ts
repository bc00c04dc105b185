// The message by which a wallet lets a router take its tokens through Permit2, instead of a
// transaction: as typed data to be signed (EIP-712), and as its contracts read it.

import type { Hex } from 'viem';
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils';
import type { Permit, Permit2Message } from '../../../contract/schemas/transaction-schemas.ts';
import type { Address } from '../../../model/ids.ts';
import type { PermitTerms, SignedPermit } from '../../chain-transactions.ts';
import { toShownAddress } from '../data/checksum-address.ts';

interface PermitParties {
  readonly token: Address;
  readonly router: { readonly address: Address; readonly permit2: Address };
}

const DETAILS =
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }';
const SINGLE =
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }';
const PERMIT_ABI = parseAbi([
  DETAILS,
  SINGLE,
  'function permit(address owner, PermitSingle permitSingle, bytes signature)',
]);
const COMMAND_INPUT = parseAbiParameters([
  'PermitSingle permitSingle, bytes data',
  SINGLE,
  DETAILS,
]);

const TYPES = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  PermitSingle: [
    { name: 'details', type: 'PermitDetails' },
    { name: 'spender', type: 'address' },
    { name: 'sigDeadline', type: 'uint256' },
  ],
  PermitDetails: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint160' },
    { name: 'expiration', type: 'uint48' },
    { name: 'nonce', type: 'uint48' },
  ],
} satisfies Permit['types'];

/** What the wallet signs. Wallets are given numbers as text, which JSON does not round. */
export function buildPermitMessage(
  { router, token }: PermitParties,
  terms: PermitTerms,
  chainId: number,
): Permit2Message {
  const { amountRaw, deadlineSeconds, nonce } = terms;
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: toShownAddress(router.permit2) },
    types: TYPES,
    primaryType: 'PermitSingle',
    message: {
      details: {
        token: toShownAddress(token),
        amount: amountRaw.toString(),
        expiration: deadlineSeconds.toString(),
        nonce: nonce.toString(),
      },
      spender: toShownAddress(router.address),
      sigDeadline: deadlineSeconds.toString(),
    },
  };
}

function buildSingle({ router, token }: PermitParties, terms: PermitTerms) {
  const { amountRaw: amount, deadlineSeconds, nonce } = terms;
  return {
    details: { token: token as Hex, amount, expiration: deadlineSeconds, nonce },
    spender: router.address as Hex,
    sigDeadline: BigInt(deadlineSeconds),
  };
}

/** The input of the router's command, which passes it on to Permit2. */
export function encodePermitInput(parties: PermitParties, permit: SignedPermit): Hex {
  const values = [buildSingle(parties, permit), permit.signature as Hex] as const;
  return encodeAbiParameters(COMMAND_INPUT, values);
}

/** The call of Permit2 by which it checks the signature. */
export function encodePermitCall(
  parties: PermitParties,
  permit: SignedPermit,
  owner: Address,
): Hex {
  const args = [owner as Hex, buildSingle(parties, permit), permit.signature as Hex] as const;
  return encodeFunctionData({ abi: PERMIT_ABI, args });
}
