// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Pairs of Liquidity Book: paid before the swap, they count what has arrived.
abstract contract BookSwap is SwapProbe {
    function swapBook(Hop calldata hop, uint256 amount, address from, address to)
        internal
        returns (uint256)
    {
        arrivedNow = move(hop.tokenIn, from, hop.pool, amount);
        bool swapForY = IBookPair(hop.pool).getTokenX() == hop.tokenIn;
        uint256 out = uint256(IBookPair(hop.pool).swap(swapForY, to));
        // Of X in the low half, of Y in the high one.
        return swapForY ? out >> 128 : out & type(uint128).max;
    }
}

interface IBookPair {
    function getTokenX() external view returns (address);
    function swap(bool swapForY, address to) external returns (bytes32);
}
