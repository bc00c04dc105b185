// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BaseToken} from "./BaseToken.sol";

/// Text meant to break whoever shows it: markup, control characters, a right-to-left override and
/// invalid UTF-8, padded to 10 KB. Built on each call because storing it would take 320 slots.
contract HostileNameToken is BaseToken {
    uint8 public constant decimals = 18;
    uint256 private constant NAME_LENGTH = 10_240;

    constructor(address[] memory holders, uint256[] memory amounts) BaseToken(holders, amounts) {}

    function name() external pure returns (string memory) {
        bytes memory head =
            hex"3c7363726970743e616c6572742831293c2f7363726970743e000a0d1b5b33316d07e280ae6e696f4365666153e280ac20fffe";
        bytes memory text = new bytes(NAME_LENGTH);
        for (uint256 i = 0; i < NAME_LENGTH; i++) text[i] = i < head.length ? head[i] : bytes1("A");
        return string(text);
    }

    function symbol() external pure returns (string memory) {
        return string(bytes(hex"e280ae4b4341e280ac00e2808b544152"));
    }
}
