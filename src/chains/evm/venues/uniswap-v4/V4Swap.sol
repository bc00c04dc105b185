// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Pools that V4's manager keeps, in which a token may be the native coin: the fee, the spacing and
/// the hooks are those of the pool's key.
abstract contract V4Swap is SwapProbe {
    /// Where V4's manager keeps its pools, and where in a pool its liquidity stands.
    uint256 private constant POOLS_SLOT = 6;
    uint256 private constant LIQUIDITY_OFFSET = 3;

    function swapV4(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256)
    {
        return abi.decode(IManager(hop.pool).unlock(abi.encode(hop, amount, from, to)), (uint256));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Hop memory hop, uint256 amount, address from, address to) =
            abi.decode(data, (Hop, uint256, address, address));
        IManager manager = IManager(msg.sender);
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (address currency0, address currency1) =
            zeroForOne ? (hop.tokenIn, hop.tokenOut) : (hop.tokenOut, hop.tokenIn);
        PoolKey memory key = PoolKey(currency0, currency1, hop.fee, hop.tickSpacing, hop.hooks);
        readPool(manager, key);
        uint160 limit = zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX;
        int256 delta = manager.swap(key, SwapParams(zeroForOne, -int256(amount), limit), "");
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        uint256 owed = uint256(uint128(-(zeroForOne ? amount0 : amount1)));
        uint256 out = uint256(uint128(zeroForOne ? amount1 : amount0));
        if (hop.tokenIn == address(0)) {
            arrivedNow = owed;
            gasNow = 0;
            manager.settle{value: owed}();
        } else {
            manager.sync(hop.tokenIn);
            arrivedNow = move(hop.tokenIn, from, msg.sender, owed);
            manager.settle();
        }
        manager.take(hop.tokenOut, to, out);
        return abi.encode(out);
    }

    function readPool(IManager manager, PoolKey memory key) private {
        uint256 slot = uint256(keccak256(abi.encode(keccak256(abi.encode(key)), POOLS_SLOT)));
        slot0Now = uint256(manager.extsload(bytes32(slot)));
        liquidityNow = uint256(manager.extsload(bytes32(slot + LIQUIDITY_OFFSET)));
    }
}

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

interface IManager {
    function extsload(bytes32 slot) external view returns (bytes32);
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(
        PoolKey calldata key,
        SwapParams calldata params,
        bytes calldata hookData
    ) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}
