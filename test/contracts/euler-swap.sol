// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// STAND-INS for EulerSwap v2 in its wire format: a pool, its factory and the periphery. They hold no
/// code of the exchange; the curve is a plain product with a fee, and a limit stands for what vaults
/// have.
interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

contract EulerPoolStandIn {
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        uint256 fee0,
        uint256 fee1,
        uint112 reserve0,
        uint112 reserve1,
        address indexed to
    );

    error SwapLimitExceeded();
    error CurveViolation();

    uint256 private constant FEE = 1e15;
    address private immutable token0;
    address private immutable token1;
    uint256 public immutable limit;
    uint256[2] private reserves;

    constructor(address token0_, address token1_, uint256[2] memory held, uint256 limit_) {
        (token0, token1, reserves, limit) = (token0_, token1_, held, limit_);
    }

    function getAssets() external view returns (address, address) {
        return (token0, token1);
    }

    function computeQuote(address tokenIn, address tokenOut, uint256 amount, bool exactIn)
        public
        view
        returns (uint256 out)
    {
        require(exactIn && tokenIn != tokenOut);
        uint256 net = amount - amount * FEE / 1e18;
        (uint256 held, uint256 left) =
            tokenIn == token0 ? (reserves[0], reserves[1]) : (reserves[1], reserves[0]);
        out = left * net / (held + net);
        if (net > limit || out > limit) revert SwapLimitExceeded();
    }

    /// What is paid must have been sent before.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        bool zeroIn = amount1Out > 0;
        address tokenIn = zeroIn ? token0 : token1;
        uint256 paid = IToken(tokenIn).balanceOf(address(this)) - (zeroIn ? taken[0] : taken[1]);
        uint256 out = zeroIn ? amount1Out : amount0Out;
        if (out > computeQuote(tokenIn, zeroIn ? token1 : token0, paid, true)) revert CurveViolation();
        uint256 fee = paid * FEE / 1e18;
        (uint256 side, uint256 other) = zeroIn ? (0, 1) : (1, 0);
        reserves[side] += paid - fee;
        reserves[other] -= out;
        require(IToken(zeroIn ? token1 : token0).transfer(to, out));
        sync();
        emit Swap(
            msg.sender,
            zeroIn ? paid - fee : 0,
            zeroIn ? 0 : paid - fee,
            amount0Out,
            amount1Out,
            zeroIn ? fee : 0,
            zeroIn ? 0 : fee,
            uint112(reserves[0]),
            uint112(reserves[1]),
            to
        );
    }

    uint256[2] private taken;

    function sync() public {
        taken = [IToken(token0).balanceOf(address(this)), IToken(token1).balanceOf(address(this))];
    }
}

/// Factory and periphery in one.
contract EulerSwapStandIn {
    error AmountOutLessThanMin();
    error DeadlineExpired();

    event Opened(address pool);

    mapping(address => bool) public deployedPools;

    function open(address token0, address token1, uint256[2] calldata held, uint256 limit) external {
        address pool = address(new EulerPoolStandIn(token0, token1, held, limit));
        deployedPools[pool] = true;
        emit Opened(pool);
    }

    function swapExactIn(
        EulerPoolStandIn pool,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        address receiver,
        uint256 amountOutMin,
        uint256 deadline
    ) external {
        if (deadline != 0 && deadline < block.timestamp) revert DeadlineExpired();
        uint256 out = pool.computeQuote(tokenIn, tokenOut, amountIn, true);
        if (out < amountOutMin) revert AmountOutLessThanMin();
        require(IToken(tokenIn).transferFrom(msg.sender, address(pool), amountIn));
        bool zeroIn = tokenIn < tokenOut;
        pool.swap(zeroIn ? 0 : out, zeroIn ? out : 0, receiver, "");
    }
}
