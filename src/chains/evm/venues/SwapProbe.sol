// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What the venues' parts of the probe share. Each swaps in pools of its own kind.
abstract contract SwapProbe {
    struct Hop {
        /// Which venue's code swaps; the fields below mean what it says there.
        uint8 kind;
        /// The pool, or the contract that keeps it.
        address pool;
        /// The zero address is the native coin.
        address tokenIn;
        address tokenOut;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    uint160 internal constant SQRT_PRICE_MIN = 4295128740;
    uint160 internal constant SQRT_PRICE_MAX = 1461446703485210103287273052203988822378723970341;

    /// What arrived during the swap that is under way.
    uint256 internal arrivedNow;
    /// What sending it used of gas.
    uint256 internal gasNow;
    /// The pool before that swap, of those that one contract keeps.
    uint256 internal slot0Now;
    uint256 internal liquidityNow;

    /// What a pool takes of its caller comes here first, and is approved. Tells what arrived here.
    function collect(Hop calldata hop, uint256 amount, address from)
        internal
        returns (uint256 here, uint256 used)
    {
        here = amount;
        if (from != address(this)) {
            here = move(hop.tokenIn, from, address(this), amount);
            used = gasNow;
        }
        bytes memory approval = abi.encodeWithSignature("approve(address,uint256)", hop.pool, here);
        (bool ok,) = hop.tokenIn.call(approval);
        require(ok, "APPROVE_FAILED");
    }

    /// Sends a token and tells by how much the receiver has more of it.
    function move(address token, address from, address to, uint256 amount) internal returns (uint256) {
        uint256 before = balanceOf(token, to);
        bytes memory call = from == address(this)
            ? abi.encodeWithSignature("transfer(address,uint256)", to, amount)
            : abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount);
        uint256 gasBefore = gasleft();
        (bool ok, bytes memory answer) = token.call(call);
        gasNow = gasBefore - gasleft();
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "TRANSFER_FAILED");
        return balanceOf(token, to) - before;
    }

    function balanceOf(address token, address owner) internal view returns (uint256) {
        return token == address(0) ? owner.balance : IToken(token).balanceOf(owner);
    }
}

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
}
