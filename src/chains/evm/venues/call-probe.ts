// Asks a node to run a probe beside a pool, with fake tokens in place of the pool's own.

import type { Hex } from 'viem';
import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { createRandomAddress } from '../rpc/realistic-simulation.ts';
import { CODE as FAKE_TOKEN_CODE } from './fake-token.gen.ts';

export interface ProbeNode {
  readonly client: RpcClient;
  /** The block of the pool's state. */
  readonly block: number;
  readonly signal: AbortSignal;
}

interface ProbeCall {
  readonly code: string;
  readonly data: Hex;
  readonly gas: string;
  /** What the pool holds of each token. */
  readonly held: readonly (readonly [token: Address, balance: bigint])[];
}

/** What the pool holds stands in slot 0 of each fake token, as its balance. */
function fakeToken(balance: bigint): object {
  const slot = `0x${balance.toString(16).padStart(64, '0')}`;
  return { code: FAKE_TOKEN_CODE, stateDiff: { [`0x${'0'.repeat(64)}`]: slot } };
}

/** What the probe returns. Its address and the caller's are new: pools may treat some apart. */
export async function callProbe(
  { code, data, gas, held }: ProbeCall,
  { client, block: minBlock, signal }: ProbeNode,
): Promise<Hex> {
  const probe = createRandomAddress();
  const tokens = held.map(([token, balance]) => [token, fakeToken(balance)] as const);
  const overrides = { [probe]: { code }, ...Object.fromEntries(tokens) };
  const call = { from: createRandomAddress(), to: probe, data, input: data, gas };
  const params = [call, toQuantity(minBlock), overrides];
  return await client.at(
    async (endpoint) => {
      const answer = await endpoint.request({ method: 'eth_call', params }, signal);
      if (typeof answer === 'string' && answer.length > 2) return answer as Hex;
      // The probe always returns something.
      const { name } = endpoint;
      const message = `${name}: ignores state overrides`;
      throw new RpcError('unsupported', message, { endpoint: name });
    },
    { minBlock, signal },
  );
}
