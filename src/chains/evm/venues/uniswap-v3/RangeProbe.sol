// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

interface IFakeToken {
    function credit(uint256 amount) external;
}

interface IRange {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

// Swaps in a pool like those of Uniswap V3 and tells what moved. Nothing stays: each try is reverted.
contract RangeProbe {
    error Moved(int256 amount0, int256 amount1);

    uint160 private constant SQRT_PRICE_MIN = 4295128740;
    uint160 private constant SQRT_PRICE_MAX = 1461446703485210103287273052203988822378723970341;

    // Two numbers for each amount: what the pool took of token 0 and of token 1, below zero what it
    // paid; both zero if it refused.
    function swapEach(IRange pool, IFakeToken[2] calldata tokens, bool zeroForOne, uint256[] calldata amounts)
        external
        returns (int256[2][] memory moved)
    {
        moved = new int256[2][](amounts.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            try this.swapAndRevert(pool, tokens, zeroForOne, amounts[i]) {}
            catch (bytes memory reason) {
                if (reason.length != 68 || bytes4(reason) != Moved.selector) continue;
                int256 amount0;
                int256 amount1;
                assembly {
                    amount0 := mload(add(reason, 36))
                    amount1 := mload(add(reason, 68))
                }
                moved[i] = [amount0, amount1];
            }
        }
    }

    function swapAndRevert(IRange pool, IFakeToken[2] calldata tokens, bool zeroForOne, uint256 amount)
        external
    {
        (int256 amount0, int256 amount1) = pool.swap(
            address(this),
            zeroForOne,
            int256(amount),
            zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX,
            abi.encode(tokens)
        );
        revert Moved(amount0, amount1);
    }

    // The callback of the pool, whose name differs from exchange to exchange.
    fallback() external {
        (int256 amount0, int256 amount1, bytes memory data) =
            abi.decode(msg.data[4:], (int256, int256, bytes));
        IFakeToken[2] memory tokens = abi.decode(data, (IFakeToken[2]));
        if (amount0 > 0) tokens[0].credit(uint256(amount0));
        if (amount1 > 0) tokens[1].credit(uint256(amount1));
    }
}
