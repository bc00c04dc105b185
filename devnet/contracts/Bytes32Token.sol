// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BaseToken} from "./BaseToken.sol";

/// Name and symbol as `bytes32`, as contracts older than the ERC-20 standard return them.
contract Bytes32Token is BaseToken {
    bytes32 public immutable name;
    bytes32 public immutable symbol;
    uint8 public constant decimals = 18;

    constructor(bytes32 name_, bytes32 symbol_, address[] memory holders, uint256[] memory amounts)
        BaseToken(holders, amounts)
    {
        name = name_;
        symbol = symbol_;
    }
}
