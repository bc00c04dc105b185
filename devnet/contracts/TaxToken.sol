// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PlainToken} from "./PlainToken.sol";

/// Takes a share of every transfer: one when a pool sends (a buy), another when a pool receives (a
/// sell), a third between wallets. The share goes to the owner, or is burned where there is none.
contract TaxToken is PlainToken {
    struct Tax {
        uint16 buyBps;
        uint16 sellBps;
        uint16 transferBps;
        bool burned;
    }

    Tax public tax;
    mapping(address => bool) public isPool;

    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        address[] memory holders,
        uint256[] memory amounts,
        Tax memory tax_
    ) PlainToken(name_, symbol_, decimals_, holders, amounts) {
        tax = tax_;
    }

    function setPool(address pool) external {
        require(msg.sender == owner);
        isPool[pool] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        // The owner is exempt, or liquidity could not be added at the intended price.
        if (from == owner || to == owner) return super._move(from, to, value);
        uint256 bps = isPool[from] ? tax.buyBps : isPool[to] ? tax.sellBps : tax.transferBps;
        uint256 taken = value * bps / 10_000;
        if (taken > 0 && tax.burned) {
            balanceOf[from] -= taken;
            totalSupply -= taken;
            emit Transfer(from, address(0), taken);
        } else if (taken > 0) {
            super._move(from, owner, taken);
        }
        super._move(from, to, value - taken);
    }
}
