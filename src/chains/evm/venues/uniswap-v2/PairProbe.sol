// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

interface IFakeToken {
    function credit(uint256 amount) external;
}

interface IPair {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;

    function getReserves() external view returns (uint256, uint256, uint256);
}

// Finds the largest output that a pair lets out for an input. Nothing stays: each try is reverted.
contract PairProbe {
    error Took(uint256 reserve0, uint256 reserve1);

    struct Try {
        IPair pair;
        IFakeToken tokenIn;
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
