// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens that misbehave in one way each, to see whether the probe finds out.
contract Trap {
    string public constant name = "Trap";
    string public constant symbol = "TRP";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public boughtAt;

    address public immutable owner = msg.sender;
    address public pool;
    uint8 public immutable mode;
    uint256 public buyBps;
    uint256 public sellBps;
    /// Whether sales to the pool are refused.
    bool public isShut;
    /// Gas that a sale burns on purpose.
    uint256 public burnedGas;

    uint8 private constant WALLETS_ONLY = 1;
    uint8 private constant WALLETS_STUCK = 2;
    uint8 private constant CONTRACTS_STUCK = 3;
    uint8 private constant NEXT_BLOCK = 4;
    uint8 private constant LOSES_ONE = 5;
    uint8 private constant CLOSED = 6;
    uint8 private constant BURNS_GAS = 7;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event TermsChanged();

    constructor(uint8 mode_) {
        mode = mode_;
        totalSupply = 1_000_000 ether;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function setPool(address pool_) external {
        pool = pool_;
    }

    function setBuyTax(uint256 bps) external {
        buyBps = bps;
    }

    // None of these says anything in the log: only `announce` does.

    function setSellTax(uint256 bps) external {
        sellBps = bps;
    }

    function setShut(bool isShut_) external {
        isShut = isShut_;
    }

    function setBurnedGas(uint256 gas_) external {
        burnedGas = gas_;
    }

    function announce() external {
        emit TermsChanged();
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        if (from != owner && to != owner) check(from, to);
        uint256 kept = from == pool && to != owner ? value * buyBps / 10_000 : 0;
        if (to == pool && from != owner) kept = value * sellBps / 10_000;
        if (mode == LOSES_ONE && from != owner && to != owner) kept = 1;
        balanceOf[from] -= value;
        balanceOf[to] += value - kept;
        balanceOf[owner] += kept;
        emit Transfer(from, to, value - kept);
        if (kept > 0) emit Transfer(from, owner, kept);
        return true;
    }

    function check(address from, address to) private {
        bool isSale = to == pool;
        if (mode == WALLETS_ONLY) require(to == pool || to.code.length == 0, "NO_CONTRACTS");
        if (mode == WALLETS_STUCK) require(!isSale || from.code.length > 0, "STUCK");
        if (mode == CONTRACTS_STUCK) require(!isSale || from.code.length == 0, "STUCK");
        if (mode == NEXT_BLOCK) require(!isSale || boughtAt[from] < block.number, "TOO_SOON");
        if (mode == CLOSED) revert("NOT_OPEN");
        if (mode == BURNS_GAS && isSale) while (true) boughtAt[from] += 1;
        if (isSale) {
            require(!isShut, "SHUT");
            uint256 end = gasleft() > burnedGas ? gasleft() - burnedGas : 0;
            while (gasleft() > end) {}
        }
        if (from == pool) boughtAt[to] = block.number;
    }
}
