// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BaseToken} from "./BaseToken.sol";

/// A well-behaved ERC-20 with any decimals.
contract PlainToken is BaseToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        address[] memory holders,
        uint256[] memory amounts
    ) BaseToken(holders, amounts) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}
