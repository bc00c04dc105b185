// A wallet on a test chain: what it has, and the means to have it.

import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { TestChain } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/model/market-event.ts';

const ERC20_ABI = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
]);

/** The native coin is the zero address. */
export async function readBalance(chain: TestChain, token: string, owner: string): Promise<bigint> {
  if (token === ZERO_ADDRESS) {
    return BigInt(await chain.rpc.call<Hex>('eth_getBalance', owner, 'latest'));
  }
  const args = [owner as Hex] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args });
  return BigInt(await chain.rpc.call<Hex>('eth_call', { to: token, data }, 'latest'));
}

/** Gives a wallet exactly so much, from nowhere. */
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
