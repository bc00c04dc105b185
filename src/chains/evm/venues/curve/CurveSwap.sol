// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Stable pools of Curve: `fee` is the index of a coin, `tickSpacing` that of the other, `hooks` the
/// coin of the first.
abstract contract CurveSwap is SwapProbe {
    /// The pool pays its caller.
    function swapCurve(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256 out)
    {
        (uint256 here, uint256 used) = collect(hop, amount, from);
        uint256 before = balanceOf(hop.tokenIn, hop.pool);
        uint256 had = balanceOf(hop.tokenOut, address(this));
        (int128 first, int128 second) = (int128(uint128(hop.fee)), int128(hop.tickSpacing));
        bool isFirstIn = hop.tokenIn == hop.hooks;
        ICurvePool(hop.pool).exchange(
            isFirstIn ? first : second, isFirstIn ? second : first, here, 0
        );
        (arrivedNow, gasNow) = (balanceOf(hop.tokenIn, hop.pool) - before, used);
        uint256 got = balanceOf(hop.tokenOut, address(this)) - had;
        if (to != address(this)) move(hop.tokenOut, address(this), to, got);
        gasNow = used;
        out = got;
    }
}

/// Old pools answer nothing.
interface ICurvePool {
    function exchange(int128 i, int128 j, uint256 amount, uint256 least) external;
}
