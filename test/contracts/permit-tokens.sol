// SPDX-License-Identifier: MIT
// Tokens with signed permits, for the tests of builds: EIP-2612's form, DAI's, and one that lies.
pragma solidity ^0.8.24;

abstract contract PermitToken {
    string public constant name = "Permit token";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    bytes32 public immutable DOMAIN_SEPARATOR;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory version_, uint256 chainId) {
        DOMAIN_SEPARATOR = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256(bytes(version_)),
                chainId,
                address(this)
            )
        );
        totalSupply = balanceOf[msg.sender] = 1e30;
        emit Transfer(address(0), msg.sender, 1e30);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function check(address owner, bytes32 structHash, uint8 v, bytes32 r, bytes32 s) internal view {
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, structHash));
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0) && signer == owner, "invalid signature");
    }
}

/// As most are written: it does not tell the type that it hashes.
contract Eip2612Token is PermitToken {
    bytes32 private constant TYPE_HASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    constructor(string memory version_, uint256 chainId) PermitToken(version_, chainId) {}

    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp <= deadline, "expired");
        check(owner, keccak256(abi.encode(TYPE_HASH, owner, spender, value, nonces[owner]++, deadline)), v, r, s);
        allowance[owner][spender] = value;
    }
}

/// DAI's: all or nothing, and the nonce is an argument.
contract DaiToken is PermitToken {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
    string public constant version = "2";

    constructor(uint256 chainId) PermitToken("2", chainId) {}

    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        check(holder, keccak256(abi.encode(PERMIT_TYPEHASH, holder, spender, nonce, expiry, allowed)), v, r, s);
        require(expiry == 0 || block.timestamp <= expiry, "expired");
        require(nonce == nonces[holder]++, "invalid nonce");
        allowance[holder][spender] = allowed ? type(uint256).max : 0;
    }
}

/// Has all that a permit needs to be told, and takes whatever it is called with.
contract AgreeableToken is PermitToken {
    constructor(uint256 chainId) PermitToken("1", chainId) {}

    fallback() external {}
}
