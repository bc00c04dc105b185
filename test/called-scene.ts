// Exchanges that are asked by a call, as stand-ins (`contracts/called-pools.sol`): two pools of
// Fluid, one with the native coin, three curves of four.meme, one of them in the X mode, and Sky's
// module of three dollars.

import {
  type Address as Account,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { readCompiledContracts } from '../devnet/compile-contracts.ts';
import { findToken } from '../devnet/deployment.ts';
import { ERC20_ABI } from '../devnet/dex-abi.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import { evmAddress, toCoinPairPool } from '../src/chains/evm/data/evm-ids.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { toCurveId } from '../src/chains/evm/venues/four-meme/four-meme.ts';
import { COIN_AS_TOKEN } from '../src/chains/evm/venues/native-coin.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import { CODE } from './contracts/called-pools.gen.ts';
import { act } from './router-scene.ts';
import { poolId } from './test-ids.ts';
import { readBalance, setBalance } from './trade-wallet.ts';

const ABI = parseAbi([
  'function factory() view returns (address)',
  'function liquidity() view returns (address)',
  'function resolver() view returns (address)',
  'function manager() view returns (address)',
  'function helper() view returns (address)',
  'function openPool(uint256 number, address[2] tokens, uint256[2] held)',
  'function getDexAddress(uint256 number) view returns (address)',
  'function basket() view returns (address)',
  'function openBasket(address[3] coins)',
  'function swapExactIn(address assetIn, address assetOut, uint256 amountIn, uint256 minAmountOut, address receiver, uint256 referralCode) returns (uint256)',
  'function launch(address base, address quote, uint256 template, uint256 k, uint256 t)',
  'function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to) payable returns (uint256)',
  'function buyTokenAMAP(address token, address to, uint256 funds, uint256 minAmount) payable',
]);
const ETHER = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const X_MODE = 0x10000n;
/** Of a curve: coins that it has, and those that its formula counts. */
const SOLD = 800_000_000n * ETHER;
const COUNTED = 1_073_000_000n * ETHER;

export interface CalledVenues {
  /** Of a token and dollars, and of the token and the native coin. */
  readonly fluid: readonly [PoolId, PoolId];
  /** Coins sold for the native coin, for dollars, and in the X mode. */
  readonly coins: readonly [Account, Account, Account];
  /** Of the first two dollars, and of the first and the third. */
  readonly pegs: readonly [PoolId, PoolId];
  /** The second dollar. */
  readonly dollar: Account;
}

type Read = (to: Account, functionName: string, args?: readonly unknown[]) => Promise<Account>;

function createRead(chain: TestChain): Read {
  return async (to, functionName, args = []) => {
    const data = encodeFunctionData({ abi: ABI, functionName, args } as never);
    const answer = await chain.rpc.call<string>('eth_call', { to, data }, 'latest');
    return `0x${answer.slice(26)}`;
  };
}

async function call(
  chain: TestChain,
  to: Account,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
): Promise<void> {
  const data = encodeFunctionData({ abi: ABI, functionName, args } as never);
  await act(chain, { to, data, value });
}

async function deployToken(chain: TestChain, name: string, holder: Account): Promise<Account> {
  const { abi, bytecode } = readCompiledContracts().contracts['PlainToken'] ?? {};
  if (abi === undefined || bytecode === undefined) throw new Error('no token is compiled');
  const args = [name, name, 18, [holder], [SOLD]];
  return await act(chain, { data: encodeDeployData({ abi, bytecode, args }) });
}

async function approve(chain: TestChain, token: Account, spender: Account, amountRaw: bigint) {
  await setBalance(chain, token, { owner: MAKER, amountRaw });
  const args = [spender, amountRaw] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
  await act(chain, { to: token, data });
}

async function openFluid(chain: TestChain, all: Account, read: Read): Promise<[PoolId, PoolId]> {
  const [liquidity, factory] = [await read(all, 'liquidity'), await read(all, 'factory')];
  const lone = findToken(chain.deployment, 'lone').address;
  const usdc = findToken(chain.deployment, 'usdc').address;
  const coin = COIN_AS_TOKEN as Account;
  const pools: PoolId[] = [];
  for (const [number, other, held] of [
    [1n, usdc, 6_000_000n * DOLLAR],
    [2n, coin, 2_000n * ETHER],
  ] as const) {
    const args = [number, [lone, other], [2_000n * ETHER, held]] as const;
    await call(chain, all, 'openPool', args);
    const pool = await read(factory, 'getDexAddress', [number]);
    pools.push(poolId(pool));
    const asset = other === coin ? ZERO_ADDRESS : other;
    await setBalance(chain, asset, { owner: liquidity, amountRaw: held });
    await setBalance(chain, lone, { owner: liquidity, amountRaw: 4_000n * ETHER });
    await approve(chain, lone, pool, 2n * ETHER);
    const swap = [true, ETHER, 1n, MAKER] as const;
    await call(chain, pool, 'swapIn', swap);
  }
  return pools as [PoolId, PoolId];
}

async function launchCoins(chain: TestChain, all: Account, read: Read): Promise<Account[]> {
  const manager = await read(all, 'manager');
  const usdc = findToken(chain.deployment, 'usdc').address;
  const zero = ZERO_ADDRESS as Account;
  const coins: Account[] = [];
  for (const [name, quote, template, virtual, funds] of [
    ['four', zero, 0n, 8n * ETHER, ETHER],
    ['five', usdc, 0n, 200_000n * DOLLAR, 2_000n * DOLLAR],
    ['six', zero, 0n, 8n * ETHER, ETHER],
  ] as const) {
    const coin = await deployToken(chain, name, manager);
    const launch = [coin, quote, template, (virtual * COUNTED) / ETHER, COUNTED] as const;
    await call(chain, manager, 'launch', launch);
    if (quote !== zero) await approve(chain, quote, manager, funds);
    const buy = [coin, MAKER, funds, 1n] as const;
    await call(chain, manager, 'buyTokenAMAP', buy, quote === zero ? funds : 0n);
    coins.push(coin);
  }
  // Somebody bought it before: its trades are known.
  const [, , last] = coins;
  const launch = [last ?? zero, zero, X_MODE, (8n * ETHER * COUNTED) / ETHER, COUNTED] as const;
  await call(chain, manager, 'launch', launch);
  return coins;
}

async function openPegs(chain: TestChain, all: Account, read: Read) {
  const usdc = findToken(chain.deployment, 'usdc').address;
  const usds = await deployToken(chain, 'usds', MAKER);
  const susds = await deployToken(chain, 'susds', MAKER);
  const args = [[usdc, usds, susds]] as const;
  await call(chain, all, 'openBasket', args);
  const basket = await read(all, 'basket');
  await setBalance(chain, usdc, { owner: basket, amountRaw: 10_000_000n * DOLLAR });
  for (const coin of [usds, susds]) {
    await setBalance(chain, coin, { owner: basket, amountRaw: 10_000_000n * ETHER });
    await approve(chain, usdc, basket, 2_000n * DOLLAR);
    const swap = [usdc, coin, 2_000n * DOLLAR, 1n, MAKER, 0n];
    await call(chain, basket, 'swapExactIn', swap);
  }
  const toRow = (upper: number) =>
    toCoinPairPool({ contract: evmAddress(basket), lower: 0, upper, isUnderlying: false });
  const sky = { basket, usdc, usds, susds };
  return { sky, pegs: [toRow(1), toRow(2)] as const, dollar: usds };
}

/** To be called before the chain is indexed. */
export async function openCalledVenues(chain: TestChain): Promise<CalledVenues> {
  const all = await act(chain, { data: CODE });
  const read = createRead(chain);
  const [factory, liquidity] = [await read(all, 'factory'), await read(all, 'liquidity')];
  const [manager, helper] = [await read(all, 'manager'), await read(all, 'helper')];
  const fluid = await openFluid(chain, all, read);
  const coins = (await launchCoins(chain, all, read)) as [Account, Account, Account];
  const resolver = await read(all, 'resolver');
  const { sky, pegs, dollar } = await openPegs(chain, all, read);
  const parts = { fluid: { factory, liquidity, resolver }, fourMeme: { manager, helper }, sky };
  Object.assign(chain.deployment, parts);
  return { fluid, coins, pegs, dollar };
}

export function toCurve(coin: Account): PoolId {
  return toCurveId(evmAddress(coin));
}

/** What was spent and received without gas, by the last transaction; null if that reverted. */
export async function sendTrade(
  chain: TestChain,
  list: readonly unknown[],
  { owner, tokenIn, tokenOut }: { owner: Address; tokenIn: Address; tokenOut: Address },
) {
  await chain.rpc.call('anvil_impersonateAccount', owner);
  const readBoth = () =>
    Promise.all([tokenIn, tokenOut].map((one) => readBalance(chain, one, owner)));
  const [inBefore = 0n, outBefore = 0n] = await readBoth();
  let gasRaw = 0n;
  let isDone = true;
  for (const one of list) {
    const { to, data, value, gas } = one as Record<string, string>;
    const sent = { from: owner as Hex, to: to as Hex, data: data as Hex };
    const call = { ...sent, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) };
    const { transactionHash, status, gasUsed } = await chain.send(call);
    const receipt = await chain.rpc.call<{ effectiveGasPrice: Hex }>(
      ...(['eth_getTransactionReceipt', transactionHash] as const),
    );
    gasRaw += BigInt(gasUsed) * BigInt(receipt.effectiveGasPrice);
    isDone = status === '0x1';
  }
  const [inAfter = 0n, outAfter = 0n] = await readBoth();
  const gasOf = (token: Address) => (token === ZERO_ADDRESS ? gasRaw : 0n);
  const spent = inBefore - inAfter - gasOf(tokenIn);
  const received = outAfter - outBefore + gasOf(tokenOut);
  return { spent, received, isDone };
}
