// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Hooks of Uniswap V4 that work against traders, each in one way. The manager calls them as the
/// low bits of their addresses say; none has a constructor, so that one salt gives each its bits.
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

interface IPoolManager {
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata data)
        external
        returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Buys before everybody who spends more than a tenth of a unit, so that they pay a worse price.
/// What is smaller, such as a probe, is left alone. Its bits are `beforeSwap`.
contract MovingHook {
    int256 private constant LEFT_ALONE = 0.1 ether;

    receive() external payable {}

    function beforeSwap(
        address,
        PoolKey calldata key,
        SwapParams calldata params,
        bytes calldata
    ) external returns (bytes4, int256, uint24) {
        if (params.amountSpecified < -LEFT_ALONE) front(IPoolManager(msg.sender), key, params);
        return (this.beforeSwap.selector, 0, 0);
    }

    function front(IPoolManager manager, PoolKey calldata key, SwapParams calldata params) private {
        int256 amount = params.amountSpecified / 4;
        int256 delta = manager.swap(
            key, SwapParams(params.zeroForOne, amount, params.sqrtPriceLimitX96), ""
        );
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        (address paid, address got) = params.zeroForOne
            ? (key.currency0, key.currency1)
            : (key.currency1, key.currency0);
        uint256 owed = uint256(uint128(-(params.zeroForOne ? amount0 : amount1)));
        if (paid == address(0)) {
            manager.settle{value: owed}();
        } else {
            manager.sync(paid);
            IERC20(paid).transfer(address(manager), owed);
            manager.settle();
        }
        manager.take(got, address(this), uint256(uint128(params.zeroForOne ? amount1 : amount0)));
    }
}

/// Lets nobody sell currency 1, before or after the swap, as its bits say.
contract RefusingHook {
    error Refused();

    function beforeSwap(
        address,
        PoolKey calldata,
        SwapParams calldata params,
        bytes calldata
    ) external pure returns (bytes4, int256, uint24) {
        if (!params.zeroForOne) revert Refused();
        return (this.beforeSwap.selector, 0, 0);
    }

    function afterSwap(
        address,
        PoolKey calldata,
        SwapParams calldata params,
        int256,
        bytes calldata
    ) external pure returns (bytes4, int128) {
        if (!params.zeroForOne) revert Refused();
        return (this.afterSwap.selector, 0);
    }
}

/// Takes a fifth of what each swap pays. Its bits are `afterSwap` and that it returns a delta.
contract TakingHook {
    function afterSwap(
        address,
        PoolKey calldata key,
        SwapParams calldata params,
        int256 delta,
        bytes calldata
    ) external returns (bytes4, int128) {
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        (address got, int128 paid) =
            params.zeroForOne ? (key.currency1, amount1) : (key.currency0, amount0);
        int128 part = paid / 5;
        IPoolManager(msg.sender).take(got, address(this), uint256(uint128(part)));
        return (this.afterSwap.selector, part);
    }

    receive() external payable {}
}
