// A wallet on a test chain: its balances, and how to set them.

import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { TestChain } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';

const ERC20_ABI = parseAbi(['function balanceOf(address owner) view returns (uint256)']);

/** The native coin is the zero address. */
export function buildBalanceCall(token: string, owner: string) {
  if (token === ZERO_ADDRESS) return { method: 'eth_getBalance', params: [owner, 'latest'] };
  const args = [owner as Hex] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args });
  return { method: 'eth_call', params: [{ to: token, data }, 'latest'] };
}

export async function readBalance(chain: TestChain, token: string, owner: string): Promise<bigint> {
  const { method, params } = buildBalanceCall(token, owner);
  return BigInt(await chain.rpc.call<Hex>(method, ...params));
}

/** Gives a wallet exactly this much, from nowhere. */
export async function setBalance(
  chain: TestChain,
  token: string,
  to: { readonly owner: string; readonly amountRaw: bigint },
): Promise<void> {
  const { owner, amountRaw } = to;
  if (token === ZERO_ADDRESS) {
    await chain.rpc.call('anvil_setBalance', owner, `0x${amountRaw.toString(16)}`);
  } else {
    await chain.rpc.call('anvil_dealERC20', owner, token, `0x${amountRaw.toString(16)}`);
  }
}
