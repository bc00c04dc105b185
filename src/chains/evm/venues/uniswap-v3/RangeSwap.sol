// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Pools of Uniswap V3, and of exchanges like it.
abstract contract RangeSwap is SwapProbe {
    function swapV3(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256)
    {
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (int256 amount0, int256 amount1) = IPool(hop.pool).swap(
            to,
            zeroForOne,
            int256(amount),
            zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX,
            abi.encode(hop.tokenIn, from)
        );
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    /// The callback of a V3 pool, whose name differs from exchange to exchange.
    fallback() external {
        (int256 amount0, int256 amount1, bytes memory data) =
            abi.decode(msg.data[4:], (int256, int256, bytes));
        (address token, address from) = abi.decode(data, (address, address));
        arrivedNow = move(token, from, msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }
}

interface IPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}
