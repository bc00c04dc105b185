// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Pairs: the fee is in pips, or the pair says itself what it pays (kind 5).
abstract contract PairSwap is SwapProbe {
    function toStray(Hop calldata hop) internal view returns (uint256) {
        (uint256 reserve0, uint256 reserve1) = IPair(hop.pool).getReserves();
        uint256 reserveOut = hop.tokenIn < hop.tokenOut ? reserve1 : reserve0;
        uint256 balance = balanceOf(hop.tokenOut, hop.pool);
        return balance > reserveOut ? balance - reserveOut : 0;
    }

    function swapPair(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256 out)
    {
        move(hop.tokenIn, from, hop.pool, amount);
        (uint256 reserve0, uint256 reserve1) = IPair(hop.pool).getReserves();
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (uint256 reserveIn, uint256 reserveOut) =
            zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        // What lay there beyond the reserves counts as paid in: then more is paid out than promised.
        arrivedNow = balanceOf(hop.tokenIn, hop.pool) - reserveIn;
        if (hop.kind == 5) {
            out = IPair(hop.pool).getAmountOut(arrivedNow, hop.tokenIn);
        } else {
            uint256 kept = arrivedNow * (1_000_000 - hop.fee);
            out = kept * reserveOut / (reserveIn * 1_000_000 + kept);
        }
        IPair(hop.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, to, "");
    }
}

interface IPair {
    /// More may follow.
    function getReserves() external view returns (uint256, uint256);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
}
