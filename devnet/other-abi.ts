// The functions that the devnet calls of other exchanges than Uniswap.

import { parseAbi } from 'viem';

export const SOLIDLY_ABI = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function createPool(address a, address b, bool stable) returns (address)',
  'function getPool(address a, address b, bool stable) view returns (address)',
  'function getReserves() view returns (uint256 reserve0, uint256 reserve1, uint256 timestamp)',
  'function addLiquidity(address a, address b, bool stable, uint256 amountA, uint256 amountB)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 least, Route[] routes, address to, uint256 deadline)',
  'function swapExactETHForTokens(uint256 least, Route[] routes, address to, uint256 deadline) payable',
  'function swapExactTokensForETH(uint256 amountIn, uint256 least, Route[] routes, address to, uint256 deadline)',
]);

export const PANCAKE_ABI = parseAbi([
  'struct Swap { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function createPool(address a, address b, uint24 fee) returns (address)',
  'function getPool(address a, address b, uint24 fee) view returns (address)',
  'function initialize(uint160 sqrtPriceX96)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 a, uint16 b, uint16 c, uint32 d, bool e)',
  'function mint(address pool, int24 lower, int24 upper, uint128 liquidity)',
  'function exactInput(Swap swap) payable',
  'function unwrapWETH9(uint256 least, address to) payable',
  'function multicall(uint256 deadline, bytes[] calls) payable',
]);

export const CURVE_POOL_ABI = parseAbi([
  'struct Curve { uint256[] held; uint256[] rates; uint256 amp; uint256 fee; uint256 offpeg; }',
  'function fill()',
  'function get_dy(int128 i, int128 j, uint256 amount) view returns (uint256)',
  'function exchange(int128 i, int128 j, uint256 amount, uint256 least) payable returns (uint256)',
  'function compute(Curve at, uint256 i, uint256 j, uint256 amount) pure returns (uint256, uint256)',
]);

export const CURVE_REGISTRY_ABI = parseAbi(['function register(address pool, address[] coins)']);

export const CURVE_ROUTER_ABI = parseAbi([
  'function exchange(address[11] route, uint256[5][5] params, uint256 amount, uint256 least, address[5] zaps, address receiver) payable returns (uint256)',
]);

export const BALANCER_ABI = parseAbi([
  'struct Join { address[] assets; uint256[] maxAmountsIn; bytes userData; bool fromInternalBalance; }',
  'struct Swap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function create(string name, string symbol, address[] tokens, uint256[] weights, uint256 swapFee, address owner) returns (address)',
  'function getPoolId() view returns (bytes32)',
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  'function joinPool(bytes32 poolId, address sender, address recipient, Join request) payable',
  'function swap(Swap swap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256)',
]);
