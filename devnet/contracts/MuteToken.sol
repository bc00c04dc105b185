// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BaseToken} from "./BaseToken.sol";

/// Has neither name nor symbol nor decimals: the standard makes all three optional.
contract MuteToken is BaseToken {
    constructor(address[] memory holders, uint256[] memory amounts) BaseToken(holders, amounts) {}
}
