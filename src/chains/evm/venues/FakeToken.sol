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
