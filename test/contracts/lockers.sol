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

/// Tells its locks as PinkLock's first version does. A stand-in of ours, like the next.
contract PinkLock1StandIn {
    struct Lock {
        uint256 id;
        address token;
        address owner;
        uint256 amount;
        uint256 lockDate;
        uint256 unlockDate;
    }

    mapping(address => Lock[]) private locks;

    function totalLockCountForToken(address token) external view returns (uint256) {
        return locks[token].length;
    }

    /// From the first to the last of these, both included.
    function getLocksForToken(address token, uint256 start, uint256 end) external view returns (Lock[] memory found) {
        found = new Lock[](end - start + 1);
        for (uint256 i = start; i <= end; i++) found[i - start] = locks[token][i];
    }

    function lock(address token, uint256 amount, uint256 unlockDate) external {
        locks[token].push(Lock(locks[token].length, token, msg.sender, amount, block.timestamp, unlockDate));
        IShares(token).transferFrom(msg.sender, address(this), amount);
    }
}

/// Its second version: locks may end in parts, and have a text.
contract PinkLock2StandIn {
    struct Lock {
        uint256 id;
        address token;
        address owner;
        uint256 amount;
        uint256 lockDate;
        uint256 tgeDate;
        uint256 tgeBps;
        uint256 cycle;
        uint256 cycleBps;
        uint256 unlockedAmount;
        string description;
    }

    mapping(address => Lock[]) private locks;

    function totalLockCountForToken(address token) external view returns (uint256) {
        return locks[token].length;
    }

    function getLocksForToken(address token, uint256 start, uint256 end) external view returns (Lock[] memory found) {
        found = new Lock[](end - start + 1);
        for (uint256 i = start; i <= end; i++) found[i - start] = locks[token][i];
    }

    /// What was taken out is sent nowhere.
    function lock(
        address token,
        uint256 amount,
        uint256 tgeDate,
        uint256 tgeBps,
        uint256 cycle,
        uint256 cycleBps,
        uint256 unlockedAmount
    ) external {
        Lock storage one = locks[token].push();
        (one.id, one.token, one.owner) = (locks[token].length, token, msg.sender);
        (one.amount, one.lockDate, one.tgeDate) = (amount, block.timestamp, tgeDate);
        (one.tgeBps, one.cycle, one.cycleBps) = (tgeBps, cycle, cycleBps);
        (one.unlockedAmount, one.description) = (unlockedAmount, "a text that is longer than one word of the answer");
        IShares(token).transferFrom(msg.sender, address(this), amount);
    }
}
