// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// STAND-INS for contracts that npm does not have, in their wire format and without any of their
/// code: factory, pairs and router of Aerodrome V2, and the deployer and the router that go with
/// PancakeSwap's own V3 factory and pools.

interface IStandInToken {
    function balanceOf(address owner) external view returns (uint256);
    function decimals() external view returns (uint8);
}

interface IStandInWrapped is IStandInToken {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IRangeFactory {
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

interface IRangePool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function fee() external view returns (uint24);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external;
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// What the contracts here pay with; some tokens answer nothing.
abstract contract StandInPayer {
    function send(address token, address to, uint256 amount) internal {
        settle(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    function take(address token, address from, address to, uint256 amount) internal {
        bytes memory call =
            abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount);
        settle(token, call);
    }

    function settle(address token, bytes memory call) private {
        (bool ok, bytes memory answer) = token.call(call);
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "STF");
    }
}

/// A volatile or stable pair. Its fee goes to the factory.
contract SolidlyPairStandIn is StandInPayer {
    address public immutable factory;
    address public immutable token0;
    address public immutable token1;
    bool public immutable stable;
    uint256 private immutable feeBps;
    uint256 private immutable unit0;
    uint256 private immutable unit1;
    uint256 private reserve0;
    uint256 private reserve1;

    event Fees(address indexed sender, uint256 amount0, uint256 amount1);
    event Sync(uint256 reserve0, uint256 reserve1);
    event Swap(
        address indexed sender,
        address indexed to,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out
    );

    constructor(address a, address b, bool stable_, uint256 feeBps_) {
        factory = msg.sender;
        (token0, token1, stable, feeBps) = (a, b, stable_, feeBps_);
        unit0 = 10 ** IStandInToken(a).decimals();
        unit1 = 10 ** IStandInToken(b).decimals();
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function metadata()
        external
        view
        returns (uint256, uint256, uint256, uint256, bool, address, address)
    {
        return (unit0, unit1, reserve0, reserve1, stable, token0, token1);
    }

    function sync() public {
        reserve0 = IStandInToken(token0).balanceOf(address(this));
        reserve1 = IStandInToken(token1).balanceOf(address(this));
        emit Sync(reserve0, reserve1);
    }

    function getAmountOut(uint256 amountIn, address tokenIn) public view returns (uint256) {
        amountIn -= amountIn * feeBps / 10000;
        bool zeroForOne = tokenIn == token0;
        (uint256 rIn, uint256 rOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        if (!stable) return amountIn * rOut / (rIn + amountIn);
        (uint256 uIn, uint256 uOut) = zeroForOne ? (unit0, unit1) : (unit1, unit0);
        (uint256 x, uint256 y) = (rIn * 1e18 / uIn, rOut * 1e18 / uOut);
        uint256 left = solve(x + amountIn * 1e18 / uIn, f(x, y), y);
        return (y - left) * uOut / 1e18;
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        bool zeroForOne = out1 > 0;
        (address tokenIn, uint256 reserve) = zeroForOne ? (token0, reserve0) : (token1, reserve1);
        uint256 amountIn = IStandInToken(tokenIn).balanceOf(address(this)) - reserve;
        uint256 out = zeroForOne ? out1 : out0;
        require(out > 0 && out <= getAmountOut(amountIn, tokenIn), "K");
        send(zeroForOne ? token1 : token0, to, out);
        uint256 fee = amountIn * feeBps / 10000;
        send(tokenIn, factory, fee);
        emit Fees(msg.sender, zeroForOne ? fee : 0, zeroForOne ? 0 : fee);
        sync();
        report(zeroForOne, amountIn, out, to);
    }

    function report(bool zeroForOne, uint256 amountIn, uint256 out, address to) private {
        if (zeroForOne) emit Swap(msg.sender, to, amountIn, 0, 0, out);
        else emit Swap(msg.sender, to, 0, amountIn, out, 0);
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

contract SolidlyFactoryStandIn {
    address[] public allPools;
    mapping(address => bool) public isPool;
    mapping(bytes32 => address) private pools;

    event PoolCreated(
        address indexed token0,
        address indexed token1,
        bool indexed stable,
        address pool,
        uint256 count
    );

    function allPoolsLength() external view returns (uint256) {
        return allPools.length;
    }

    function getFee(address, bool stable) public pure returns (uint256) {
        return stable ? 5 : 30;
    }

    function getPool(address a, address b, bool stable) external view returns (address) {
        (address token0, address token1) = a < b ? (a, b) : (b, a);
        return pools[keccak256(abi.encode(token0, token1, stable))];
    }

    function createPool(address a, address b, bool stable) external returns (address pool) {
        (address token0, address token1) = a < b ? (a, b) : (b, a);
        pool = address(new SolidlyPairStandIn(token0, token1, stable, getFee(address(0), stable)));
        pools[keccak256(abi.encode(token0, token1, stable))] = pool;
        isPool[pool] = true;
        allPools.push(pool);
        emit PoolCreated(token0, token1, stable, pool, allPools.length);
    }
}

contract SolidlyRouterStandIn is StandInPayer {
    struct Route {
        address from;
        address to;
        bool stable;
        address factory;
    }

    SolidlyFactoryStandIn private immutable pairs;
    IStandInWrapped private immutable weth;

    constructor(SolidlyFactoryStandIn pairs_, IStandInWrapped weth_) {
        (pairs, weth) = (pairs_, weth_);
    }

    receive() external payable {}

    modifier before(uint256 deadline) {
        require(block.timestamp <= deadline, "Expired");
        _;
    }

    function addLiquidity(address a, address b, bool stable, uint256 amountA, uint256 amountB)
        external
    {
        SolidlyPairStandIn pair = SolidlyPairStandIn(pairs.getPool(a, b, stable));
        take(a, msg.sender, address(pair), amountA);
        take(b, msg.sender, address(pair), amountB);
        pair.sync();
    }

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 least,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external before(deadline) {
        take(routes[0].from, msg.sender, address(findPair(routes[0])), amountIn);
        require(swap(routes, amountIn, to) >= least, "InsufficientOutputAmount");
    }

    function swapExactETHForTokens(
        uint256 least,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external payable before(deadline) {
        require(routes[0].from == address(weth), "InvalidPath");
        weth.deposit{value: msg.value}();
        send(address(weth), address(findPair(routes[0])), msg.value);
        require(swap(routes, msg.value, to) >= least, "InsufficientOutputAmount");
    }

    function swapExactTokensForETH(
        uint256 amountIn,
        uint256 least,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external before(deadline) {
        require(routes[routes.length - 1].to == address(weth), "InvalidPath");
        take(routes[0].from, msg.sender, address(findPair(routes[0])), amountIn);
        uint256 out = swap(routes, amountIn, address(this));
        require(out >= least, "InsufficientOutputAmount");
        weth.withdraw(out);
        payable(to).transfer(out);
    }

    function findPair(Route calldata route) private view returns (SolidlyPairStandIn) {
        require(route.factory == address(0) || route.factory == address(pairs), "NoFactory");
        return SolidlyPairStandIn(pairs.getPool(route.from, route.to, route.stable));
    }

    function swap(Route[] calldata routes, uint256 amount, address to) private returns (uint256) {
        for (uint256 i = 0; i < routes.length; i++) {
            SolidlyPairStandIn pair = findPair(routes[i]);
            amount = pair.getAmountOut(amount, routes[i].from);
            bool zeroForOne = routes[i].from < routes[i].to;
            address next = i + 1 < routes.length ? address(findPair(routes[i + 1])) : to;
            pair.swap(zeroForOne ? 0 : amount, zeroForOne ? amount : 0, next, "");
        }
        return amount;
    }
}

/// Creates PancakeSwap's pools for their factory, from code that stands at an address.
contract RangeDeployerStandIn {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address private immutable template;

    constructor(address template_) {
        template = template_;
    }

    function deploy(address factory, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        parameters = Parameters(factory, token0, token1, fee, tickSpacing);
        bytes memory code = template.code;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly {
            pool := create2(0, add(code, 32), mload(code), salt)
        }
        require(pool != address(0), "not created");
        delete parameters;
    }
}

/// The wire format of PancakeSwap's SmartRouter for pools of V3, and a way to add liquidity.
contract SmartRouterStandIn is StandInPayer {
    struct PathSwap {
        bytes path;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
    }

    uint160 private constant SQRT_PRICE_MIN = 4295128740;
    uint160 private constant SQRT_PRICE_MAX = 1461446703485210103287273052203988822378723970341;

    IRangeFactory private immutable ranges;
    IStandInWrapped private immutable weth;

    constructor(IRangeFactory ranges_, IStandInWrapped weth_) {
        (ranges, weth) = (ranges_, weth_);
    }

    receive() external payable {}

    function multicall(uint256 deadline, bytes[] calldata calls) external payable {
        require(block.timestamp <= deadline, "Transaction too old");
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory answer) = address(this).delegatecall(calls[i]);
            if (ok) continue;
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    function mint(IRangePool pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.mint(msg.sender, lower, upper, liquidity, abi.encode(msg.sender));
    }

    function exactInput(PathSwap calldata swap) external payable {
        bytes calldata path = swap.path;
        (uint256 amount, address payer) = (swap.amountIn, msg.sender);
        if (amount == 0) {
            address first = address(bytes20(path[:20]));
            (amount, payer) = (IStandInToken(first).balanceOf(address(this)), address(this));
        }
        for (uint256 at = 0; at + 20 < path.length; at += 23) {
            bool isLast = at + 43 == path.length;
            address to = isLast ? toRecipient(swap.recipient) : address(this);
            amount = swapHop(path[at:at + 43], amount, payer, to);
            payer = address(this);
        }
        require(amount >= swap.amountOutMinimum, "Too little received");
    }

    function toRecipient(address to) private view returns (address) {
        if (to == address(1)) return msg.sender;
        return to == address(2) ? address(this) : to;
    }

    function swapHop(bytes calldata hop, uint256 amount, address payer, address to)
        private
        returns (uint256)
    {
        (address tokenIn, address tokenOut) = (address(bytes20(hop[:20])), address(bytes20(hop[23:])));
        bool zeroForOne = tokenIn < tokenOut;
        IRangePool pool = IRangePool(ranges.getPool(tokenIn, tokenOut, uint24(bytes3(hop[20:23]))));
        uint160 limit = zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX;
        (int256 amount0, int256 amount1) =
            pool.swap(to, zeroForOne, int256(amount), limit, abi.encode(payer));
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    function unwrapWETH9(uint256 least, address to) external payable {
        uint256 held = weth.balanceOf(address(this));
        require(held >= least, "Insufficient WETH9");
        weth.withdraw(held);
        payable(to).transfer(held);
    }

    function sweepToken(IStandInToken token, uint256 least, address to) external payable {
        uint256 held = token.balanceOf(address(this));
        require(held >= least, "Insufficient token");
        if (held > 0) send(address(token), to, held);
    }

    function refundETH() external payable {
        if (address(this).balance > 0) payable(msg.sender).transfer(address(this).balance);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        payPool(amount0 > 0 ? uint256(amount0) : 0, amount1 > 0 ? uint256(amount1) : 0, data);
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        payPool(amount0, amount1, data);
    }

    function payPool(uint256 amount0, uint256 amount1, bytes calldata data) private {
        IRangePool pool = IRangePool(msg.sender);
        (address token0, address token1) = (pool.token0(), pool.token1());
        require(ranges.getPool(token0, token1, pool.fee()) == msg.sender, "no pool");
        address payer = abi.decode(data, (address));
        if (amount0 > 0) pay(token0, payer, amount0);
        if (amount1 > 0) pay(token1, payer, amount1);
    }

    function pay(address token, address payer, uint256 amount) private {
        if (token == address(weth) && address(this).balance >= amount) {
            weth.deposit{value: amount}();
            payer = address(this);
        }
        if (payer == address(this)) send(token, msg.sender, amount);
        else take(token, payer, msg.sender, amount);
    }
}
