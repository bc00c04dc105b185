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
    // Those that sell only to whoever seems to simulate.
    uint8 private constant RICH_ORIGIN = 8;
    uint8 private constant NO_BASE_FEE = 9;
    uint8 private constant NO_GAS_PRICE = 10;
    uint8 private constant NO_COINBASE = 11;
    uint8 private constant KNOWN_PROBE = 12;
    uint8 private constant FEW_BLOCKS = 13;
    uint8 private constant LARGE_TAXED = 14;
    uint8 private constant SECOND_TAXED = 15;
    uint8 private constant NO_HISTORY = 16;
    uint8 private constant MUCH_GAS = 17;
    uint8 private constant NO_RANDAO = 18;

    /// The code of a probe that somebody has seen.
    bytes32 public knownCode;
    /// Where builds used to read balances.
    address private constant KNOWN_READER = 0xBA1a00000000000000000000000000000000Ba1A;
    mapping(address => uint256) public received;
    mapping(address => uint256) public sales;

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

    function setKnownCode(bytes32 hash) external {
        knownCode = hash;
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
        if (to == pool && from != owner && sellBps == 0) kept = toSaleTax(from, value);
        if (mode == LOSES_ONE && from != owner && to != owner) kept = 1;
        balanceOf[from] -= value;
        balanceOf[to] += value - kept;
        balanceOf[owner] += kept;
        received[to] += value - kept;
        emit Transfer(from, to, value - kept);
        if (kept > 0) emit Transfer(from, owner, kept);
        return true;
    }

    function toSaleTax(address from, uint256 value) private returns (uint256) {
        bool isTaxed = mode == LARGE_TAXED && value > 200 ether;
        if (mode == SECOND_TAXED) isTaxed = sales[from]++ > 0;
        return isTaxed ? value / 2 : 0;
    }

    /// Whether a sale looks like a simulated one.
    function seemsSimulated(address from) private view returns (bool) {
        if (mode == RICH_ORIGIN) return tx.origin.balance > 500_000 ether;
        if (mode == NO_BASE_FEE) return block.basefee == 0;
        if (mode == NO_GAS_PRICE) return tx.gasprice == 0;
        if (mode == NO_COINBASE) return block.coinbase == address(0);
        if (mode == KNOWN_PROBE) {
            return msg.sender.codehash == knownCode || KNOWN_READER.code.length > 0;
        }
        if (mode == FEW_BLOCKS) return block.number <= boughtAt[from] + 150;
        if (mode == NO_HISTORY) return balanceOf[from] > received[from];
        if (mode == MUCH_GAS) return gasleft() > 6_000_000;
        if (mode == NO_RANDAO) return block.prevrandao == 0;
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
            require(seemsSimulated(from), "ONLY_SIMULATED");
            uint256 end = gasleft() > burnedGas ? gasleft() - burnedGas : 0;
            while (gasleft() > end) {}
        }
        if (from == pool) boughtAt[to] = block.number;
    }
}
