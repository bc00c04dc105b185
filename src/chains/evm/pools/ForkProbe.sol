// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

// Put over both tokens of a pair by a code override: the pair's balance is slot 0, and nobody else
// has any.
contract FakeToken {
    uint256 private held;

    function balanceOf(address) external view returns (uint256) {
        return held;
    }

    function transfer(address, uint256 amount) external returns (bool) {
        held -= amount;
        return true;
    }

    function credit(uint256 amount) external {
        held += amount;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }
}

interface IPair {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;

    function getReserves() external view returns (uint256, uint256, uint256);
}

// Finds the largest output that a pair lets out for an input. Nothing stays: each try is reverted.
contract ForkProbe {
    error Took(uint256 reserve0, uint256 reserve1);

    struct Try {
        IPair pair;
        FakeToken tokenIn;
        bool zeroForOne;
        uint256 amountIn;
    }

    // Zero if the pair refuses every output.
    function maxOut(Try calldata one, uint256 reserveOut)
        external
        returns (uint256 best, uint256 reserve0, uint256 reserve1)
    {
        uint256 high = reserveOut - 1;
        while (best < high) {
            uint256 middle = best + (high - best + 1) / 2;
            (bool isTaken,,) = attempt(one, middle);
            if (isTaken) best = middle;
            else high = middle - 1;
        }
        if (best > 0) (, reserve0, reserve1) = attempt(one, best);
    }

    function attempt(Try calldata one, uint256 amountOut)
        private
        returns (bool isTaken, uint256 reserve0, uint256 reserve1)
    {
        try this.swapAndRevert(one, amountOut) {}
        catch (bytes memory reason) {
            if (reason.length != 68 || bytes4(reason) != Took.selector) return (false, 0, 0);
            isTaken = true;
            assembly {
                reserve0 := mload(add(reason, 36))
                reserve1 := mload(add(reason, 68))
            }
        }
    }

    function swapAndRevert(Try calldata one, uint256 amountOut) external {
        one.tokenIn.credit(one.amountIn);
        (uint256 out0, uint256 out1) = one.zeroForOne ? (uint256(0), amountOut) : (amountOut, 0);
        one.pair.swap(out0, out1, address(this), "");
        (uint256 reserve0, uint256 reserve1,) = one.pair.getReserves();
        revert Took(reserve0, reserve1);
    }
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
    function swapEach(IRange pool, FakeToken[2] calldata tokens, bool zeroForOne, uint256[] calldata amounts)
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

    function swapAndRevert(IRange pool, FakeToken[2] calldata tokens, bool zeroForOne, uint256 amount)
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
        FakeToken[2] memory tokens = abi.decode(data, (FakeToken[2]));
        if (amount0 > 0) tokens[0].credit(uint256(amount0));
        if (amount1 > 0) tokens[1].credit(uint256(amount1));
    }
}
