// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// STAND-INS for contracts that npm does not have, in their wire format: routers of Slipstream,
/// Algebra, Camelot V2, Aerodrome and PancakeSwap, and a pair of Aerodrome. They hold no code of
/// those exchanges. The routers swap in real pairs and pools of Uniswap, the pair by the formulas of
/// the recorded quotes.
contract RouterStandIn {
    struct Route {
        address from;
        address to;
        bool stable;
        address factory;
    }

    struct PathSwap {
        bytes path;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
    }

    struct SmartSwap {
        bytes path;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
    }

    /// For a given output; the path begins with the last token.
    struct PathOutput {
        bytes path;
        address recipient;
        uint256 deadline;
        uint256 amountOut;
        uint256 amountInMaximum;
    }

    struct SmartOutput {
        bytes path;
        address recipient;
        uint256 amountOut;
        uint256 amountInMaximum;
    }

    uint160 private constant SQRT_PRICE_MIN = 4295128740;
    uint160 private constant SQRT_PRICE_MAX = 1461446703485210103287273052203988822378723970341;

    IFactory private immutable v2;
    IFactory private immutable v3;
    IWrapped private immutable weth;
    /// What stands between the tokens of a path: 0 nothing, 1 a fee, 2 a tick spacing.
    uint8 private immutable mark;
    /// Pools and pairs by their tokens and, for pairs, whether they are stable.
    mapping(bytes32 => address) private known;
    /// What the first pool of the last path took.
    uint256 private taken;

    constructor(IFactory v2_, IFactory v3_, IWrapped weth_, uint8 mark_) {
        (v2, v3, weth, mark) = (v2_, v3_, weth_, mark_);
    }

    receive() external payable {}

    modifier before(uint256 deadline) {
        require(block.timestamp <= deadline, "Expired");
        _;
    }

    function register(address a, address b, bool stable, address pool) external {
        known[keccak256(abi.encode(a, b, stable))] = pool;
        known[keccak256(abi.encode(b, a, stable))] = pool;
    }

    // Camelot V2.

    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        address,
        uint256 deadline
    ) external before(deadline) {
        atLeast(path[path.length - 1], to, amountOutMin, swapPairs(path, amountIn, msg.sender, to));
    }

    function swapExactETHForTokensSupportingFeeOnTransferTokens(
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        address,
        uint256 deadline
    ) external payable before(deadline) {
        atLeast(path[path.length - 1], to, amountOutMin, swapPairs(path, msg.value, msg.sender, to));
    }

    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        address,
        uint256 deadline
    ) external before(deadline) {
        swapPairs(path, amountIn, msg.sender, address(this));
        unwrap(amountOutMin, to);
    }

    // Aerodrome, Velodrome V2.

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external before(deadline) {
        require(swapRoutes(routes, amountIn, to) >= amountOutMin, "InsufficientOutputAmount");
    }

    function swapExactETHForTokens(
        uint256 amountOutMin,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external payable before(deadline) {
        require(swapRoutes(routes, msg.value, to) >= amountOutMin, "InsufficientOutputAmount");
    }

    function swapExactTokensForETH(
        uint256 amountIn,
        uint256 amountOutMin,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external before(deadline) {
        swapRoutes(routes, amountIn, address(this));
        unwrap(amountOutMin, to);
    }

    // Slipstream, Algebra.

    function exactInput(PathSwap calldata swap) external payable before(swap.deadline) {
        address to = swap.recipient == address(0) ? address(this) : swap.recipient;
        uint256 out = swapPath(swap.path, swap.amountIn, msg.sender, to);
        require(out >= swap.amountOutMinimum, "Too little received");
    }

    function exactOutput(PathOutput calldata swap) external payable before(swap.deadline) {
        address to = swap.recipient == address(0) ? address(this) : swap.recipient;
        swapBack(swap.path, swap.amountOut, msg.sender, to);
        require(taken <= swap.amountInMaximum, "Too much requested");
    }

    function unwrapWNativeToken(uint256 least, address to) external payable {
        require(mark == 0);
        unwrap(least, to);
    }

    function refundNativeToken() external payable {
        require(mark == 0);
        refund();
    }

    function multicall(bytes[] calldata calls) external payable {
        run(calls);
    }

    // PancakeSwap's SmartRouter; Slipstream shares the next two.

    function unwrapWETH9(uint256 least, address to) external payable {
        require(mark != 0);
        unwrap(least, to);
    }

    function refundETH() external payable {
        require(mark != 0);
        refund();
    }

    function sweepToken(IToken token, uint256 least, address to) external payable {
        uint256 held = token.balanceOf(address(this));
        require(held >= least, "Insufficient token");
        if (held > 0) token.transfer(to, held);
    }

    function sweepTokenWithFee(
        IToken token,
        uint256 least,
        address to,
        uint256 feeBips,
        address feeTo
    ) external payable {
        require(mark == 1 && feeBips > 0 && feeBips <= 100);
        uint256 held = token.balanceOf(address(this));
        require(held >= least, "Insufficient token");
        token.transfer(feeTo, held * feeBips / 10000);
        token.transfer(to, held - held * feeBips / 10000);
    }

    function unwrapWETH9WithFee(uint256 least, address to, uint256 feeBips, address feeTo)
        external
        payable
    {
        require(mark == 1 && feeBips > 0 && feeBips <= 100);
        uint256 held = weth.balanceOf(address(this));
        require(held >= least, "Insufficient WETH9");
        weth.withdraw(held);
        payable(feeTo).transfer(held * feeBips / 10000);
        payable(to).transfer(held - held * feeBips / 10000);
    }

    function multicall(uint256 deadline, bytes[] calldata calls) external payable before(deadline) {
        run(calls);
    }

    function exactInput(SmartSwap calldata swap) external payable {
        (uint256 amount, address payer) = toInput(address(bytes20(swap.path[:20])), swap.amountIn);
        uint256 out = swapPath(swap.path, amount, payer, toRecipient(swap.recipient));
        require(out >= swap.amountOutMinimum, "Too little received");
    }

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to
    ) external payable {
        (uint256 amount, address payer) = toInput(path[0], amountIn);
        uint256 out = swapPairs(path, amount, payer, toRecipient(to));
        require(out >= amountOutMin, "Too little received");
    }

    function exactOutput(SmartOutput calldata swap) external payable {
        swapBack(swap.path, swap.amountOut, msg.sender, toRecipient(swap.recipient));
        require(taken <= swap.amountInMaximum, "Too much requested");
    }

    function swapTokensForExactTokens(
        uint256 amountOut,
        uint256 amountInMax,
        address[] calldata path,
        address to
    ) external payable {
        uint256 amount = amountOut;
        for (uint256 i = path.length - 1; i > 0; i--) {
            (uint256 r0, uint256 r1) = IPair(v2.getPair(path[i - 1], path[i])).getReserves();
            (uint256 rIn, uint256 rOut) = path[i - 1] < path[i] ? (r0, r1) : (r1, r0);
            amount = rIn * amount * 1000 / ((rOut - amount) * 997) + 1;
        }
        require(amount <= amountInMax, "Too much requested");
        swapPairs(path, amount, msg.sender, toRecipient(to));
    }

    // What they share.

    function toRecipient(address to) private view returns (address) {
        if (to == address(1)) return msg.sender;
        return to == address(2) ? address(this) : to;
    }

    function toInput(address token, uint256 amount) private view returns (uint256, address) {
        if (amount > 0) return (amount, msg.sender);
        return (IToken(token).balanceOf(address(this)), address(this));
    }

    function run(bytes[] calldata calls) private {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory answer) = address(this).delegatecall(calls[i]);
            if (!ok) {
                assembly {
                    revert(add(answer, 32), mload(answer))
                }
            }
        }
    }

    function atLeast(address token, address to, uint256 least, uint256 out) private view {
        require(out >= least && IToken(token).balanceOf(to) >= least, "INSUFFICIENT_OUTPUT_AMOUNT");
    }

    function unwrap(uint256 least, address to) private {
        uint256 held = weth.balanceOf(address(this));
        require(held >= least, "Insufficient WETH9");
        weth.withdraw(held);
        payable(to).transfer(held);
    }

    function refund() private {
        if (address(this).balance > 0) payable(msg.sender).transfer(address(this).balance);
    }

    function pay(address token, address payer, address to, uint256 amount) private {
        if (token == address(weth) && address(this).balance >= amount) {
            weth.deposit{value: amount}();
            payer = address(this);
        }
        bytes memory call = payer == address(this)
            ? abi.encodeWithSignature("transfer(address,uint256)", to, amount)
            : abi.encodeWithSignature("transferFrom(address,address,uint256)", payer, to, amount);
        (bool ok, bytes memory answer) = token.call(call);
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "STF");
    }

    function swapPairs(address[] calldata path, uint256 amountIn, address payer, address to)
        private
        returns (uint256 amount)
    {
        pay(path[0], payer, v2.getPair(path[0], path[1]), amountIn);
        amount = amountIn;
        for (uint256 i = 0; i + 1 < path.length; i++) {
            IPair pair = IPair(v2.getPair(path[i], path[i + 1]));
            (uint256 r0, uint256 r1) = pair.getReserves();
            bool zeroForOne = path[i] < path[i + 1];
            uint256 kept = amount * 997;
            amount = zeroForOne ? kept * r1 / (r0 * 1000 + kept) : kept * r0 / (r1 * 1000 + kept);
            address next = i + 2 < path.length ? v2.getPair(path[i + 1], path[i + 2]) : to;
            pair.swap(zeroForOne ? 0 : amount, zeroForOne ? amount : 0, next, "");
        }
    }

    function findPair(Route calldata route) private view returns (IPair) {
        // The factory of its pairs is the router itself, as the pairs are registered here.
        require(route.factory == address(this), "PoolFactoryDoesNotExist");
        return IPair(known[keccak256(abi.encode(route.from, route.to, route.stable))]);
    }

    function swapRoutes(Route[] calldata routes, uint256 amountIn, address to)
        private
        returns (uint256 amount)
    {
        pay(routes[0].from, msg.sender, address(findPair(routes[0])), amountIn);
        amount = amountIn;
        for (uint256 i = 0; i < routes.length; i++) {
            IPair pair = findPair(routes[i]);
            amount = pair.getAmountOut(amount, routes[i].from);
            bool zeroForOne = routes[i].from < routes[i].to;
            address next = i + 1 < routes.length ? address(findPair(routes[i + 1])) : to;
            pair.swap(zeroForOne ? 0 : amount, zeroForOne ? amount : 0, next, "");
        }
    }

    function swapPath(bytes calldata path, uint256 amount, address payer, address to)
        private
        returns (uint256)
    {
        uint256 step = mark == 0 ? 20 : 23;
        for (uint256 at = 0; at + 20 < path.length; at += step) {
            address tokenIn = address(bytes20(path[at:at + 20]));
            address tokenOut = address(bytes20(path[at + step:at + step + 20]));
            uint24 between = mark == 0 ? 0 : uint24(bytes3(path[at + 20:at + 23]));
            IPool pool = IPool(findPool(tokenIn, tokenOut, between));
            bool isLast = at + step + 20 == path.length;
            (int256 amount0, int256 amount1) = pool.swap(
                isLast ? to : address(this),
                tokenIn < tokenOut,
                int256(amount),
                tokenIn < tokenOut ? SQRT_PRICE_MIN : SQRT_PRICE_MAX,
                abi.encode(tokenIn, payer, "")
            );
            amount = uint256(-(tokenIn < tokenOut ? amount1 : amount0));
            payer = address(this);
        }
        return amount;
    }

    /// The last pool pays first; it is paid by the pool before, and the first one by the payer.
    function swapBack(bytes memory path, uint256 amountOut, address payer, address to) private {
        uint256 step = mark == 0 ? 20 : 23;
        address tokenOut = address(bytes20(wordAt(path, 0)));
        address tokenIn = address(bytes20(wordAt(path, step)));
        uint24 between = mark == 0 ? 0 : uint24(bytes3(wordAt(path, 20)));
        bytes memory rest = new bytes(path.length - step);
        for (uint256 i = 0; i < rest.length; i++) rest[i] = path[i + step];
        bool zeroForOne = tokenIn < tokenOut;
        (int256 amount0, int256 amount1) = IPool(findPool(tokenIn, tokenOut, between)).swap(
            to,
            zeroForOne,
            -int256(amountOut),
            zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX,
            abi.encode(tokenIn, payer, rest)
        );
        require(uint256(-(zeroForOne ? amount1 : amount0)) == amountOut, "Too little paid");
    }

    function wordAt(bytes memory path, uint256 at) private pure returns (bytes32 word) {
        assembly {
            word := mload(add(add(path, 32), at))
        }
    }

    function findPool(address a, address b, uint24 between) private view returns (address) {
        if (mark == 0) return known[keccak256(abi.encode(a, b, false))];
        if (mark == 1) return v3.getPool(a, b, between);
        uint24 fee = between == 10 ? 500 : between == 60 ? 3000 : between == 200 ? 10000 : 100;
        return v3.getPool(a, b, fee);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        (address token, address payer, bytes memory rest) =
            abi.decode(data, (address, address, bytes));
        uint256 amount = uint256(amount0 > 0 ? amount0 : amount1);
        if (rest.length > 20) return swapBack(rest, amount, payer, msg.sender);
        taken = amount;
        pay(token, payer, msg.sender, amount);
    }
}

/// A volatile or stable pair in the wire format of Aerodrome. The fee leaves the pair.
contract PairStandIn {
    address public immutable token0;
    address public immutable token1;
    bool public immutable stable;
    uint256 private immutable fee;
    uint256 private immutable unit0;
    uint256 private immutable unit1;
    uint256 private reserve0;
    uint256 private reserve1;

    event Sync(uint256 reserve0, uint256 reserve1);

    constructor(address a, address b, bool stable_, uint256 fee_) {
        (token0, token1) = a < b ? (a, b) : (b, a);
        (stable, fee) = (stable_, fee_);
        unit0 = 10 ** IToken(token0).decimals();
        unit1 = 10 ** IToken(token1).decimals();
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function sync() public {
        reserve0 = IToken(token0).balanceOf(address(this));
        reserve1 = IToken(token1).balanceOf(address(this));
        emit Sync(reserve0, reserve1);
    }

    function getAmountOut(uint256 amountIn, address tokenIn) public view returns (uint256) {
        amountIn -= amountIn * fee / 10000;
        bool zeroForOne = tokenIn == token0;
        (uint256 rIn, uint256 rOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        if (!stable) return amountIn * rOut / (rIn + amountIn);
        (uint256 uIn, uint256 uOut) = zeroForOne ? (unit0, unit1) : (unit1, unit0);
        (uint256 x, uint256 y) = (rIn * 1e18 / uIn, rOut * 1e18 / uOut);
        uint256 left = solve(x + amountIn * 1e18 / uIn, f(x, y), y);
        return (y - left) * uOut / 1e18;
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        (bool zeroForOne, uint256 out) = out1 > 0 ? (true, out1) : (false, out0);
        (address tokenIn, address tokenOut) = zeroForOne ? (token0, token1) : (token1, token0);
        uint256 amountIn =
            IToken(tokenIn).balanceOf(address(this)) - (zeroForOne ? reserve0 : reserve1);
        require(out > 0 && out <= getAmountOut(amountIn, tokenIn), "K");
        IToken(tokenOut).transfer(to, out);
        IToken(tokenIn).transfer(address(0xfee), amountIn * fee / 10000);
        sync();
    }

    function f(uint256 x, uint256 y) private pure returns (uint256) {
        return (x * y / 1e18) * (x * x / 1e18 + y * y / 1e18) / 1e18;
    }

    function solve(uint256 x, uint256 k, uint256 y) private pure returns (uint256) {
        for (uint256 i = 0; i < 255; i++) {
            uint256 now_ = f(x, y);
            uint256 slope = 3 * x * (y * y / 1e18) / 1e18 + (x * x / 1e18) * x / 1e18;
            if (now_ < k) {
                uint256 dy = (k - now_) * 1e18 / slope;
                if (dy == 0) {
                    if (f(x, y + 1) > k) return y + 1;
                    dy = 1;
                }
                y += dy;
            } else {
                uint256 dy = (now_ - k) * 1e18 / slope;
                if (dy == 0) {
                    if (now_ == k || f(x, y - 1) < k) return y;
                    dy = 1;
                }
                y -= dy;
            }
        }
        revert("!y");
    }
}

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function decimals() external view returns (uint8);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IWrapped is IToken {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IFactory {
    function getPair(address a, address b) external view returns (address);
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

interface IPair {
    function getReserves() external view returns (uint256, uint256);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
}

interface IPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}
