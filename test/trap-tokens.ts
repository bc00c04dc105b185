// Deploys misbehaving tokens on a test chain, each with its own pool.

import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  maxUint256,
  parseAbi,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { V2_ROUTER_ABI } from '../devnet/dex-abi.ts';
import type { TestChain, TestReceipt } from '../devnet/test-chain.ts';
import { CODE } from './contracts/traps.gen.ts';

/** The numbers in test/contracts/traps.sol. */
export const TRAP_MODES = {
  honest: 0,
  /** Honest; for a pair that receives a donation. */
  donated: 0,
  walletsOnly: 1,
  walletsStuck: 2,
  contractsStuck: 3,
  nextBlock: 4,
  losesOne: 5,
  closed: 6,
  burnsGas: 7,
  /** Can be sold only where something looks like a simulation. */
  richOrigin: 8,
  noBaseFee: 9,
  noGasPrice: 10,
  noCoinbase: 11,
  knownProbe: 12,
  fewBlocks: 13,
  largeTaxed: 14,
  secondTaxed: 15,
  noHistory: 16,
  muchGas: 17,
  noRandao: 18,
  /** Honest, until they are changed. */
  turnsLoudly: 0,
  turnsQuietly: 0,
  taxesBuyers: 0,
  taxesSellers: 0,
  turnsHeavy: 0,
} as const;

export type TrapMode = keyof typeof TRAP_MODES;

const GAS = 6_000_000n;

export const TRAP_ABI = parseAbi([
  'constructor(uint8 mode)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function setPool(address pool)',
  'function setBuyTax(uint256 bps)',
  'function setSellTax(uint256 bps)',
  'function setShut(bool isShut)',
  'function setBurnedGas(uint256 gas)',
  'function setKnownCode(bytes32 hash)',
  'function announce()',
]);
const FACTORY_ABI = parseAbi(['function getPair(address, address) view returns (address)']);

export interface Trap {
  readonly token: Address;
  readonly pair: Address;
}

interface Step {
  readonly to?: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

/** All in one block. */
async function sendAll(
  chain: TestChain,
  steps: readonly Step[],
  from: Address = MAKER,
): Promise<void> {
  const hashes: Hex[] = [];
  for (const step of steps) hashes.push(await chain.submit({ from, gas: GAS, ...step }));
  await chain.mine();
  for (const hash of hashes) {
    const receipt = await chain.rpc.call<TestReceipt | null>('eth_getTransactionReceipt', hash);
    if (receipt?.status !== '0x1') throw new Error('a step of a trap failed');
  }
}

async function readPair(chain: TestChain, token: Address): Promise<Address> {
  const { weth, v2Factory } = chain.deployment.contracts;
  const args = [token, weth] as const;
  const data = encodeFunctionData({ abi: FACTORY_ABI, functionName: 'getPair', args });
  const reply = await chain.rpc.call<Hex>('eth_call', { to: v2Factory, data }, 'latest');
  return `0x${reply.slice(-40)}`;
}

export async function setTraps<Mode extends TrapMode>(
  chain: TestChain,
  modes: readonly Mode[],
): Promise<Readonly<Record<Mode, Trap>>> {
  const router = chain.deployment.contracts.v2Router;
  const nonce = BigInt(await chain.rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest'));
  const tokens = modes.map((_, index) => {
    const address = getContractAddress({ from: MAKER, nonce: nonce + BigInt(index) });
    return address.toLowerCase() as Address;
  });
  const deployments = modes.map((mode) => ({
    data: encodeDeployData({ abi: TRAP_ABI, bytecode: CODE, args: [TRAP_MODES[mode]] }),
  }));
  await sendAll(chain, deployments);
  const approval = { functionName: 'approve', args: [router, maxUint256] } as const;
  const approve = encodeFunctionData({ abi: TRAP_ABI, ...approval });
  await sendAll(
    chain,
    tokens.map((to) => ({ to, data: approve })),
  );
  const supplies = tokens.map((token) => ({
    to: router,
    value: 20n * 10n ** 18n,
    data: encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'addLiquidityETH',
      args: [token, 100_000n * 10n ** 18n, 0n, 0n, MAKER, maxUint256],
    }),
  }));
  await sendAll(chain, supplies);
  const pairs = await Promise.all(tokens.map((token) => readPair(chain, token)));
  const announcements = pairs.map((pair, index) => ({
    to: tokens[index] as Address,
    data: encodeFunctionData({ abi: TRAP_ABI, functionName: 'setPool', args: [pair] }),
  }));
  await sendAll(chain, announcements);
  const traps = modes.map((mode, index) => [mode, { token: tokens[index], pair: pairs[index] }]);
  return Object.fromEntries(traps) as Record<Mode, Trap>;
}

/** Names another pool, whose transfers are taxed. */
export async function setTrapPool(chain: TestChain, token: Address, pool: Address): Promise<void> {
  const data = encodeFunctionData({ abi: TRAP_ABI, functionName: 'setPool', args: [pool] });
  await sendAll(chain, [{ to: token, data }]);
}

/** What a token is changed to. Only `announce` leaves anything in the log. */
export interface TrapChange {
  readonly buyTaxBps?: bigint;
  readonly sellTaxBps?: bigint;
  readonly isShut?: boolean;
  readonly burnedGas?: bigint;
  readonly announce?: boolean;
}

/** All in one block. */
export async function changeTrap(
  chain: TestChain,
  token: Address,
  change: TrapChange,
): Promise<void> {
  const { buyTaxBps, sellTaxBps, isShut, burnedGas, announce } = change;
  const encode = (functionName: 'setBuyTax' | 'setSellTax' | 'setBurnedGas', value: bigint) =>
    encodeFunctionData({ abi: TRAP_ABI, functionName, args: [value] });
  const calls = [
    ...(buyTaxBps === undefined ? [] : [encode('setBuyTax', buyTaxBps)]),
    ...(sellTaxBps === undefined ? [] : [encode('setSellTax', sellTaxBps)]),
    ...(burnedGas === undefined ? [] : [encode('setBurnedGas', burnedGas)]),
    ...(isShut === undefined
      ? []
      : [encodeFunctionData({ abi: TRAP_ABI, functionName: 'setShut', args: [isShut] })]),
    ...(announce ? [encodeFunctionData({ abi: TRAP_ABI, functionName: 'announce' })] : []),
  ];
  await sendAll(
    chain,
    calls.map((data) => ({ to: token, data })),
  );
}

/** A stranger's trade in the trap's pair; a sale sells what it bought. */
export async function tradeTrap(
  chain: TestChain,
  token: Address,
  trade: { readonly side: 'buy' | 'sell'; readonly amountInRaw: bigint; readonly from: Address },
): Promise<void> {
  const { weth, v2Router } = chain.deployment.contracts;
  const { side, amountInRaw, from } = trade;
  if (side === 'buy') {
    const args = [0n, [weth, token], from, maxUint256] as const;
    const name = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    const data = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: name, args });
    await sendAll(chain, [{ to: v2Router, value: amountInRaw, data }], from);
    return;
  }
  const args = [amountInRaw, 0n, [token, weth], from, maxUint256] as const;
  const name = 'swapExactTokensForETHSupportingFeeOnTransferTokens';
  const approval = { functionName: 'approve', args: [v2Router, amountInRaw] } as const;
  const steps = [
    { to: token, data: encodeFunctionData({ abi: TRAP_ABI, ...approval }) },
    {
      to: v2Router,
      data: encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: name, args }),
    },
  ];
  await sendAll(chain, steps, from);
}
