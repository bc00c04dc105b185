// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A Uniswap V4 hook that sets the fee of each swap: 0.3 % when currency 0 comes in, 1 % when
/// currency 1 does. Its address must end in the bits of `beforeSwap` alone.
contract SellFeeHook {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    uint24 private constant OVERRIDE_FEE_FLAG = 0x400000;

    function beforeSwap(address, PoolKey calldata, SwapParams calldata params, bytes calldata)
        external
        pure
        returns (bytes4, int256, uint24)
    {
        uint24 feePips = params.zeroForOne ? 3_000 : 10_000;
        return (this.beforeSwap.selector, 0, feePips | OVERRIDE_FEE_FLAG);
    }
}
