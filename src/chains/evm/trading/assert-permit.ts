// Checks a signed permit before anything is priced or built: Permit2 itself is asked, so that
// wallets that are contracts are judged as they will be when the transaction is executed.

import { buildInvalidInputError } from '../../../errors/app-error.ts';
import type { Address } from '../../../model/ids.ts';
import { OutdatedPermitError, type SignedPermit } from '../../chain-transactions.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { encodePermitCall, type PermitParties } from './permit-message.ts';

interface PermitCheck extends PermitParties {
  readonly owner: Address;
  readonly permit: SignedPermit;
  /** How many permits of the owner for token and router were used. */
  readonly nonce: number;
  /** Of the chain's newest block or our clock, whichever is later. */
  readonly nowSeconds: number;
}

/** Enough for any wallet, and a limit on the work of a hostile one. */
const GAS_MAX = `0x${(10_000_000).toString(16)}`;

/** Throws `PERMIT_OUTDATED`, or `INVALID_INPUT` if the signature is another one. */
export async function assertPermit(client: RpcClient, check: PermitCheck): Promise<void> {
  const { owner, permit, router } = check;
  if (check.nowSeconds >= permit.deadlineSeconds) throw new OutdatedPermitError('has expired');
  if (check.nonce !== permit.nonce) {
    throw new OutdatedPermitError('was used already, or was replaced by a later one');
  }
  const data = encodePermitCall(check, permit, owner);
  const params = [{ to: router.permit2, data, gas: GAS_MAX }, 'latest'];
  try {
    await client.request({ method: 'eth_call', params }, {});
  } catch (error) {
    if (!isRpcError(error, 'reverted', 'rejected')) throw error;
    const message = 'is not a signature of the permit by the wallet of the session';
    throw buildInvalidInputError([{ path: 'permitSignature', message }]);
  }
}
