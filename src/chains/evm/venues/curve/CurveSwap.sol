// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Stable pools of Curve and PancakeSwap: `fee` is the index of a coin, `tickSpacing` that of the
/// other, `hooks` the coin of the first.
abstract contract CurveSwap is SwapProbe {
    /// The pool pays its caller.
    function swapCurve(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256 out)
    {
        (uint256 here, uint256 used) = collect(hop, amount, from);
        uint256 before = balanceOf(hop.tokenIn, hop.pool);
        uint256 had = balanceOf(hop.tokenOut, address(this));
        (uint256 first, uint256 second) = (hop.fee, uint256(int256(hop.tickSpacing)));
        if (hop.tokenIn != hop.hooks) (first, second) = (second, first);
        if (hop.kind == 9) {
            IPancakeStablePool(hop.pool).exchange(first, second, here, 0);
        } else {
            ICurvePool(hop.pool).exchange(int128(int256(first)), int128(int256(second)), here, 0);
        }
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

interface IPancakeStablePool {
    function exchange(uint256 i, uint256 j, uint256 amount, uint256 least) external;
}
