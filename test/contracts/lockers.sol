// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IShares {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Holds tokens until a time, and tells its locks as UNCX's lockers of version 2 do. A stand-in of
/// ours: nothing is ever given back.
contract LockerStandIn {
    struct Lock {
        uint256 lockDate;
        uint256 amount;
        uint256 initialAmount;
        uint256 unlockDate;
        uint256 lockId;
        address owner;
    }

    mapping(address => Lock[]) public tokenLocks;

    function getNumLocksForToken(address token) external view returns (uint256) {
        return tokenLocks[token].length;
    }

    function lock(address token, uint256 amount, uint256 unlockDate) external {
        uint256 id = tokenLocks[token].length;
        tokenLocks[token].push(Lock(block.timestamp, amount, amount, unlockDate, id, msg.sender));
        IShares(token).transferFrom(msg.sender, address(this), amount);
    }
}
