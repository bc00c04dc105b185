// The transactions that let the router take a wallet's token: an allowance of the token for
// Permit2, and one of Permit2 for the router, each for exactly what the trade needs.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { EncodedCall } from './encode-swap.ts';
import type { SwapRouter } from './swap-plan.ts';

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
  /** Of the token for Permit2. */
  readonly tokenRaw: bigint;
  /** Of Permit2 for the router, and until when, in Unix seconds. */
  readonly permit2Raw: bigint;
  readonly permit2Expiration: number;
}

interface ApprovalRequest {
  readonly token: Address;
  readonly amountRaw: bigint;
  readonly deadlineSeconds: number;
  /** Whether the token's allowance must be zero before it is changed. */
  readonly mustReset: boolean;
}

function encodeApprove(router: SwapRouter, token: Address, amountRaw: bigint): EncodedCall {
  const args = [router.permit2 as Hex, amountRaw] as const;
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
  if (allowance.tokenRaw < amountRaw) {
    if (request.mustReset) {
      calls.push({ kind: 'approve-reset', ...encodeApprove(router, token, 0n) });
    }
    calls.push({ kind: 'approve', ...encodeApprove(router, token, amountRaw) });
  }
  const { permit2Raw, permit2Expiration } = allowance;
  if (permit2Raw < amountRaw || permit2Expiration < deadlineSeconds) {
    const args = [token as Hex, router.address as Hex, amountRaw, deadlineSeconds] as const;
    const data = encodeFunctionData({ abi: PERMIT2_APPROVE_ABI, args });
    calls.push({ kind: 'permit2-approve', to: router.permit2, data, value: 0n });
  }
  return calls;
}
