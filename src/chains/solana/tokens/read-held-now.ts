// What owners hold of a token now, as every endpoint says: to find out whether one of them answers
// with an older state than it names.

import type { Address } from '../../../model/ids.ts';
import type { OwnerReading, OwnersReading } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { readTokenAccounts } from './read-owner-balances.ts';

interface OwnersQuery {
  readonly token: Address;
  readonly owners: readonly Address[];
  readonly minSlot: number;
}

/**
 * Nodes leave the owners of very many accounts, such as a venue's, out of their index, or take too
 * long for them. That says nothing about the endpoint's other answers: it is not suspended.
 */
const PASSED_OVER = [
  ...(['denied', 'network', 'rejected', 'replyTooLarge'] as const),
  ...(['stateUnavailable', 'unsupported'] as const),
];

async function readAt(
  node: RpcEndpoint,
  { token, owners, minSlot }: OwnersQuery,
  signal?: AbortSignal,
): Promise<OwnerReading[]> {
  const readings: OwnerReading[] = [];
  for (const owner of owners) {
    try {
      const held = await readTokenAccounts(node, { token, owner, minSlot }, signal);
      readings.push({ owner, amountRaw: held.amountRaw, block: held.slot });
    } catch (error) {
      if (!isRpcError(error, ...PASSED_OVER)) throw error;
    }
  }
  return readings;
}

/**
 * Rejects if no endpoint answers for any of them. The mint is left out: what it holds is withheld
 * in the accounts of others.
 */
export async function readHeldNow(
  client: RpcClient,
  { token, owners: all, minSlot }: OwnersQuery,
  signal?: AbortSignal,
): Promise<OwnersReading> {
  const owners = all.filter((owner) => owner !== token);
  const query = { token, owners, minSlot };
  const answers = await client.atEach((node) => readAt(node, query, signal), signal);
  const readings = answers.flatMap(({ value }) => value);
  if (readings.length === 0 && owners.length > 0) {
    throw new RpcError('stateUnavailable', 'no endpoint says what owners of the token hold');
  }
  return { readings, callCount: owners.length * answers.length };
}
