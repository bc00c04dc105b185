// SPDX-License-Identifier: MIT
// Contract wallets for the tests of sign-in: one that works, and some that misbehave.
pragma solidity ^0.8.24;

/// Accepts what its owner signed (ERC-1271), and makes several calls in one transaction for it.
contract OwnerWallet {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    /// All of them or none.
    function execute(Call[] calldata calls) external {
        require(msg.sender == owner, "not the owner");
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(success, "a call failed");
        }
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Puts such a wallet at an address that is known before.
contract WalletFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new OwnerWallet{salt: salt}(owner));
    }
}

/// Accepts anything: what an attacker would put at somebody's address.
contract AcceptingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}

/// Says "true" instead of the word that means it.
contract TruthyWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bool) {
        return true;
    }
}

/// Answers with the right first bytes and with more behind them.
contract NoisyWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (uint256) {
        return (uint256(0x1626ba7e) << 224) | 1;
    }
}

contract RevertingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        revert("no");
    }
}

/// Burns whatever it is given.
contract LoopingWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 n;
        while (gasleft() > 0) n++;
        return 0x1626ba7e;
    }
}
