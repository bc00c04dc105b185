// Encodes trades: one pool, one direction, as a wallet's front end would send them.

import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  maxUint48,
  maxUint160,
  maxUint256,
  parseAbiParameters,
} from 'viem';
import type { TxRequest } from './block-writer.ts';
import type { DevnetContracts, DevnetPool } from './deployment.ts';
import { ERC20_ABI, PERMIT2_ABI, UNIVERSAL_ROUTER_ABI, V2_ROUTER_ABI } from './dex-abi.ts';
import { toPoolKey } from './liquidity-calldata.ts';

export interface SwapRequest {
  readonly contracts: DevnetContracts;
  readonly pool: DevnetPool;
  readonly wallet: Address;
  /** A buy spends the pool's quote currency, a sell its token; ether is wrapped as needed. */
  readonly side: 'buy' | 'sell';
  readonly amountInRaw: bigint;
  readonly amountOutMinRaw?: bigint;
}

const SWAP_GAS = 450_000n;
const APPROVE_GAS = 80_000n;

const COMMAND = { v3Swap: '00', v2Swap: '08', wrap: '0b', unwrap: '0c', v4Swap: '10' } as const;
/** Swap exact input in one pool, settle all, take all. */
const V4_ACTIONS: Hex = '0x060c0f';
/** The router's placeholders for the sender and for itself. */
const SENDER: Address = '0x0000000000000000000000000000000000000001';
const ROUTER: Address = '0x0000000000000000000000000000000000000002';

const WRAP_PARAMETERS = parseAbiParameters('address, uint256');
const V2_PARAMETERS = parseAbiParameters('address, uint256, uint256, address[], bool');
const V3_PARAMETERS = parseAbiParameters('address, uint256, uint256, bytes, bool');
const V4_PARAMETERS = parseAbiParameters([
  'Swap swap',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
]);

/** The pool's currencies in the direction of the trade. */
export function findDirection({ pool, side }: Pick<SwapRequest, 'pool' | 'side'>) {
  const { currency0, currency1, tokenAddress: token } = pool;
  const quote = currency0 === token ? currency1 : currency0;
  const [currencyIn, currencyOut] = side === 'buy' ? [quote, token] : [token, quote];
  return { currencyIn, currencyOut, zeroForOne: currencyIn === currency0 };
}

function encodeV4Swap(request: SwapRequest): Hex {
  const { pool, amountInRaw, amountOutMinRaw = 0n } = request;
  const { currencyIn, currencyOut, zeroForOne } = findDirection(request);
  const swap = {
    poolKey: toPoolKey(pool),
    zeroForOne,
    amountIn: amountInRaw,
    amountOutMinimum: amountOutMinRaw,
    hookData: '0x' as const,
  };
  const params = [
    encodeAbiParameters(V4_PARAMETERS, [swap]),
    encodeAbiParameters(WRAP_PARAMETERS, [currencyIn, amountInRaw]),
    encodeAbiParameters(WRAP_PARAMETERS, [currencyOut, amountOutMinRaw]),
  ];
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [V4_ACTIONS, params]);
}

/** The swap itself on V2 or V3; the caller adds wrapping. */
function encodePoolSwap(request: SwapRequest, ends: { recipient: Address; payerIsUser: boolean }) {
  const { pool, amountInRaw, amountOutMinRaw = 0n } = request;
  const { currencyIn, currencyOut } = findDirection(request);
  const amounts = [ends.recipient, amountInRaw, amountOutMinRaw] as const;
  if (pool.venue === 'uniswap-v2') {
    const path = [currencyIn, currencyOut];
    return encodeAbiParameters(V2_PARAMETERS, [...amounts, path, ends.payerIsUser]);
  }
  const path = encodePacked(
    ['address', 'uint24', 'address'],
    [currencyIn, pool.feePips, currencyOut],
  );
  return encodeAbiParameters(V3_PARAMETERS, [...amounts, path, ends.payerIsUser]);
}

function encodeCommands(request: SwapRequest): { commands: string; inputs: Hex[]; value: bigint } {
  const { pool, side, amountInRaw } = request;
  if (pool.venue === 'uniswap-v4') {
    const value = pool.quote === 'eth' && side === 'buy' ? amountInRaw : 0n;
    return { commands: COMMAND.v4Swap, inputs: [encodeV4Swap(request)], value };
  }
  const swapCommand = pool.venue === 'uniswap-v2' ? COMMAND.v2Swap : COMMAND.v3Swap;
  if (pool.quote !== 'weth') {
    const swap = encodePoolSwap(request, { recipient: SENDER, payerIsUser: true });
    return { commands: swapCommand, inputs: [swap], value: 0n };
  }
  if (side === 'buy') {
    const wrap = encodeAbiParameters(WRAP_PARAMETERS, [ROUTER, amountInRaw]);
    const swap = encodePoolSwap(request, { recipient: SENDER, payerIsUser: false });
    return { commands: COMMAND.wrap + swapCommand, inputs: [wrap, swap], value: amountInRaw };
  }
  const swap = encodePoolSwap(request, { recipient: ROUTER, payerIsUser: true });
  const unwrap = encodeAbiParameters(WRAP_PARAMETERS, [SENDER, 0n]);
  return { commands: swapCommand + COMMAND.unwrap, inputs: [swap, unwrap], value: 0n };
}

/** Through the Universal Router; `buildApprovals` must approve the input first. */
export function buildSwap(request: SwapRequest): TxRequest {
  const { commands, inputs, value } = encodeCommands(request);
  const data = encodeFunctionData({
    abi: UNIVERSAL_ROUTER_ABI,
    functionName: 'execute',
    args: [`0x${commands}`, inputs, maxUint256],
  });
  return {
    from: request.wallet,
    to: request.contracts.universalRouter,
    data,
    value,
    gas: SWAP_GAS,
  };
}

/** Through V2's own router, as older front ends do; needs one approval less. */
export function buildV2RouterSwap(request: SwapRequest): TxRequest {
  const { contracts, wallet, side, amountInRaw, amountOutMinRaw = 0n } = request;
  const { currencyIn, currencyOut } = findDirection(request);
  const tail = [amountOutMinRaw, [currencyIn, currencyOut], wallet, maxUint256] as const;
  const data =
    side === 'buy'
      ? encodeFunctionData({
          abi: V2_ROUTER_ABI,
          functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
          args: tail,
        })
      : encodeFunctionData({
          abi: V2_ROUTER_ABI,
          functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
          args: [amountInRaw, ...tail],
        });
  const value = side === 'buy' ? amountInRaw : 0n;
  return { from: wallet, to: contracts.v2Router, data, value, gas: SWAP_GAS };
}

export function buildApproval(approval: {
  readonly owner: Address;
  readonly token: Address;
  readonly spender: Address;
}): TxRequest {
  const { owner, token, spender } = approval;
  const args = [spender, maxUint256] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
  return { from: owner, to: token, data, gas: APPROVE_GAS };
}

/** Both approvals that the Universal Router needs to take a wallet's token. */
export function buildApprovals(approval: {
  readonly contracts: DevnetContracts;
  readonly owner: Address;
  readonly token: Address;
}): TxRequest[] {
  const { contracts, owner, token } = approval;
  const { permit2, universalRouter } = contracts;
  const data = encodeFunctionData({
    abi: PERMIT2_ABI,
    functionName: 'approve',
    args: [token, universalRouter, maxUint160, Number(maxUint48)],
  });
  return [
    buildApproval({ owner, token, spender: permit2 }),
    { from: owner, to: permit2, data, gas: APPROVE_GAS },
  ];
}
