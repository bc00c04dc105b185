// The transactions that let a router take a wallet's token, for exactly what the trade needs: an
// allowance for the router or, if it takes tokens through Permit2, one for Permit2 and one of
// Permit2 for the router. With permits the first is without limit, and the second a message that
// the wallet signs (`permit-message.ts`); a token's own permit replaces all of them.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { EncodedCall } from '../venues/swap-plan.ts';
import type { SwapRouter } from '../venues/swap-routers.ts';

export type TransactionKind = 'approve-reset' | 'approve' | 'permit2-approve' | 'swap';

export interface PlannedCall extends EncodedCall {
  readonly kind: TransactionKind;
}

const APPROVE_ABI = parseAbi(['function approve(address spender, uint256 value)']);
const PERMIT2_APPROVE_ABI = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
]);

/** The current allowances of a wallet. */
export interface RouterAllowance {
  /** Of the token for Permit2, or for a router without it. */
  readonly tokenRaw: bigint;
  /** Of Permit2 for the router, and until when, in Unix seconds; 0 for a router without it. */
  readonly permit2Raw: bigint;
  readonly permit2Expiration: number;
  /** How many permits for the token and the router were used. */
  readonly permit2Nonce: number;
}

interface ApprovalRequest {
  readonly token: Address;
  readonly amountRaw: bigint;
  readonly deadlineSeconds: number;
  /** Whether the token's allowance must be zero before it is changed. */
  readonly mustReset: boolean;
  /** How Permit2 gets to know the router; later permits need an allowance without limit. */
  readonly approval: 'onchain' | 'permit' | 'signed';
}

const UNLIMITED = 2n ** 256n - 1n;

/** Who takes the token from the wallet. */
export function findSpender({ permit2, address }: SwapRouter): Address {
  return permit2 ?? address;
}

function encodeApprove(router: SwapRouter, token: Address, amountRaw: bigint): EncodedCall {
  const args = [findSpender(router) as Hex, amountRaw] as const;
  return { to: token, data: encodeFunctionData({ abi: APPROVE_ABI, args }), value: 0n };
}

/** Only what is missing, in sending order. */
export function encodeApprovals(
  request: ApprovalRequest,
  allowance: RouterAllowance,
  router: SwapRouter,
): PlannedCall[] {
  const { token, amountRaw, deadlineSeconds } = request;
  const calls: PlannedCall[] = [];
  if (request.approval === 'signed' && router.permit2 === null) return calls;
  if (allowance.tokenRaw < amountRaw) {
    if (request.mustReset) {
      calls.push({ kind: 'approve-reset', ...encodeApprove(router, token, 0n) });
    }
    const isLasting = request.approval !== 'onchain' && router.permit2 !== null;
    const approved = isLasting ? UNLIMITED : amountRaw;
    calls.push({ kind: 'approve', ...encodeApprove(router, token, approved) });
  }
  if (router.permit2 === null || request.approval === 'signed') return calls;
  const { permit2Raw, permit2Expiration } = allowance;
  if (permit2Raw < amountRaw || permit2Expiration < deadlineSeconds) {
    const args = [token as Hex, router.address as Hex, amountRaw, deadlineSeconds] as const;
    const data = encodeFunctionData({ abi: PERMIT2_APPROVE_ABI, args });
    calls.push({ kind: 'permit2-approve', to: router.permit2, data, value: 0n });
  }
  return calls;
}
