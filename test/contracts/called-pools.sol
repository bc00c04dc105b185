// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// STAND-INS for exchanges that are asked by a call, in their wire format: Fluid's factory, pools,
/// liquidity layer and resolver, four.meme's manager and helper, and Sky's peg module of three
/// coins. They hold no code of those exchanges, and their prices are ours.
interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

address constant COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
address constant DEAD = 0x000000000000000000000000000000000000dEaD;

/// Holds the tokens of all pools.
contract FluidLiquidityStandIn {
    mapping(address => bool) private isPool;

    receive() external payable {}

    function admit(address pool) external {
        isPool[pool] = true;
    }

    function pay(address token, address to, uint256 amount) external {
        require(isPool[msg.sender]);
        if (token != COIN) {
            require(IToken(token).transfer(to, amount));
            return;
        }
        (bool isSent, ) = to.call{value: amount}("");
        require(isSent);
    }
}

contract FluidFactoryStandIn {
    mapping(uint256 => address) public getDexAddress;

    function admit(uint256 number, address pool) external {
        getDexAddress[number] = pool;
    }
}

contract FluidPoolStandIn {
    error FluidDexError(uint256 errorId);
    error FluidDexSwapResult(uint256 amountOut);

    event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to);

    uint256 private immutable number;
    FluidLiquidityStandIn private immutable liquidity;
    address private immutable token0;
    address private immutable token1;
    uint256[2] private reserves;

    constructor(uint256 number_, FluidLiquidityStandIn liquidity_, address[2] memory tokens, uint256[2] memory held) {
        (number, liquidity, token0, token1) = (number_, liquidity_, tokens[0], tokens[1]);
        reserves = held;
    }

    function constantsView() external view returns (uint256[18] memory words) {
        (words[0], words[9], words[10]) = (number, uint160(token0), uint160(token1));
    }

    function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to) external payable returns (uint256 amountOut) {
        (address paid, address got) = swap0to1 ? (token0, token1) : (token1, token0);
        if (msg.value > 0 && msg.value != amountIn) revert FluidDexError(51007);
        if (msg.value > 0 && paid != COIN) revert FluidDexError(51008);
        (uint256 held, uint256 left) = swap0to1 ? (reserves[0], reserves[1]) : (reserves[1], reserves[0]);
        amountOut = (left * amountIn) / (held + amountIn);
        // Its prices move with time.
        amountOut -= (amountOut * (100 + (block.timestamp % 1000))) / 1e7;
        if (amountOut < amountOutMin) revert FluidDexError(51010);
        if (to == DEAD) revert FluidDexSwapResult(amountOut);
        if (to == address(0)) to = msg.sender;
        (reserves[0], reserves[1]) = swap0to1 ? (held + amountIn, left - amountOut) : (left - amountOut, held + amountIn);
        if (paid != COIN) {
            require(IToken(paid).transferFrom(msg.sender, address(liquidity), amountIn));
        } else {
            if (msg.value != amountIn) revert FluidDexError(51007);
            (bool isSent, ) = address(liquidity).call{value: amountIn}("");
            require(isSent);
        }
        liquidity.pay(got, to, amountOut);
        emit Swap(swap0to1, amountIn, amountOut, to);
    }
}

contract FluidResolverStandIn {
    function estimateSwapIn(FluidPoolStandIn dex, bool swap0to1, uint256 amountIn, uint256 amountOutMin) external payable returns (uint256 amountOut) {
        try dex.swapIn{value: msg.value}(swap0to1, amountIn, amountOutMin, DEAD) {} catch (bytes memory answer) {
            if (bytes4(answer) != FluidPoolStandIn.FluidDexSwapResult.selector) return 0;
            assembly {
                amountOut := mload(add(answer, 36))
            }
        }
    }
}

contract FourMemeManagerStandIn {
    struct Curve {
        address base;
        address quote;
        uint256 template;
        uint256 totalSupply;
        uint256 maxOffers;
        uint256 maxRaising;
        uint256 launchTime;
        uint256 offers;
        uint256 funds;
        uint256 lastPrice;
        uint256 k;
        uint256 t;
        uint256 status;
    }

    event TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds);
    event TokenSale(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds);

    uint256 public constant FEE_RATE = 100;
    uint256 private constant STEP = 1e9;
    mapping(address => Curve) public _tokenInfos;

    /// The coins must be here.
    function launch(address base, address quote, uint256 template, uint256 k, uint256 t) external {
        Curve storage curve = _tokenInfos[base];
        (curve.base, curve.quote, curve.template, curve.k, curve.t) = (base, quote, template, k, t);
        curve.offers = IToken(base).balanceOf(address(this));
    }

    /// The coins, the cost without the fee, and the fee.
    function plan(address token, uint256 funds) public view returns (uint256 amount, uint256 cost, uint256 fee) {
        Curve storage curve = _tokenInfos[token];
        uint256 net = (funds * 10000) / (10000 + FEE_RATE);
        amount = curve.t - (curve.k * 1e18) / ((curve.k * 1e18) / curve.t + net);
        amount -= amount % STEP;
        if (amount > curve.offers) amount = curve.offers;
        cost = (curve.k * 1e18) / (curve.t - amount) - (curve.k * 1e18) / curve.t;
        fee = (cost * FEE_RATE) / 10000;
    }

    function planSale(address token, uint256 amount) public view returns (uint256 cost, uint256 fee) {
        Curve storage curve = _tokenInfos[token];
        cost = (curve.k * 1e18) / curve.t - (curve.k * 1e18) / (curve.t + amount);
        fee = (cost * FEE_RATE) / 10000;
    }

    function buyTokenAMAP(address token, address to, uint256 funds, uint256 minAmount) external payable {
        Curve storage curve = _tokenInfos[token];
        require(curve.template & 0x10000 == 0, "A");
        (uint256 amount, uint256 cost, uint256 fee) = plan(token, funds);
        require(amount >= minAmount, "Slippage");
        if (curve.quote == address(0)) {
            require(msg.value >= cost + fee, "More BNB");
            send(curve.quote, msg.sender, msg.value - cost - fee);
        } else {
            require(IToken(curve.quote).transferFrom(msg.sender, address(this), cost + fee));
        }
        (curve.t, curve.offers, curve.funds) = (curve.t - amount, curve.offers - amount, curve.funds + cost);
        require(IToken(token).transfer(to, amount));
        emit TokenPurchase(token, to, curve.lastPrice, amount, cost, fee, curve.offers, curve.funds);
    }

    function sellToken(uint256, address token, uint256 amount, uint256 minFunds, uint256 feeRate, address) external {
        require(feeRate <= 500, "FR");
        require(amount % STEP == 0, "GW");
        Curve storage curve = _tokenInfos[token];
        (uint256 cost, uint256 fee) = planSale(token, amount);
        require(cost > fee, "SO");
        require(cost >= minFunds, "Slippage");
        (curve.t, curve.offers, curve.funds) = (curve.t + amount, curve.offers + amount, curve.funds - cost);
        require(IToken(token).transferFrom(msg.sender, address(this), amount));
        send(curve.quote, msg.sender, cost - fee);
        emit TokenSale(token, msg.sender, curve.lastPrice, amount, cost, fee, curve.offers, curve.funds);
    }

    function send(address quote, address to, uint256 amount) private {
        if (quote != address(0)) {
            require(IToken(quote).transfer(to, amount));
            return;
        }
        (bool isSent, ) = to.call{value: amount}("");
        require(isSent);
    }
}

contract FourMemeHelperStandIn {
    FourMemeManagerStandIn private immutable manager;

    constructor(FourMemeManagerStandIn manager_) {
        manager = manager_;
    }

    function getTokenInfo(address token) external view returns (uint256[12] memory words) {
        (address base, address quote) = find(token);
        if (base == address(0)) return words;
        (words[0], words[1], words[2]) = (2, uint160(address(manager)), uint160(quote));
        words[4] = manager.FEE_RATE();
    }

    function tryBuy(address token, uint256 amount, uint256 funds) external view returns (uint256[8] memory words) {
        (, address quote) = find(token);
        require(amount == 0);
        (words[0], words[1]) = (uint160(address(manager)), uint160(quote));
        (words[2], words[3], words[4]) = manager.plan(token, funds);
        (words[quote == address(0) ? 5 : 6], words[7]) = (funds, funds);
    }

    function trySell(address token, uint256 amount) external view returns (uint256[4] memory words) {
        (, address quote) = find(token);
        (words[0], words[1]) = (uint160(address(manager)), uint160(quote));
        (words[2], words[3]) = manager.planSale(token, amount);
    }

    function find(address token) private view returns (address base, address quote) {
        (base, quote, , , , , , , , , , , ) = manager._tokenInfos(token);
    }
}

/// A dollar of 6 decimals, one of 18, and a share of the second, which is worth more with time.
contract PegBasketStandIn {
    event Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode);

    address public immutable usdc;
    address public immutable usds;
    address public immutable susds;

    constructor(address[3] memory coins) {
        (usdc, usds, susds) = (coins[0], coins[1], coins[2]);
    }

    /// Of a raw unit, in 10^-24 dollars.
    function worth(address asset) private view returns (uint256) {
        if (asset == usdc) return 1e18;
        if (asset == usds) return 1e6;
        require(asset == susds, "PSM3/invalid-asset");
        return 1.05e6 + ((block.timestamp % 1000) / 10);
    }

    function previewSwapExactIn(address assetIn, address assetOut, uint256 amountIn) public view returns (uint256) {
        require(assetIn != assetOut, "PSM3/invalid-asset");
        return (amountIn * worth(assetIn)) / worth(assetOut);
    }

    function swapExactIn(address assetIn, address assetOut, uint256 amountIn, uint256 minAmountOut, address receiver, uint256 referralCode) external returns (uint256 amountOut) {
        amountOut = previewSwapExactIn(assetIn, assetOut, amountIn);
        require(amountOut >= minAmountOut, "PSM3/amountOut-too-low");
        require(IToken(assetIn).transferFrom(msg.sender, address(this), amountIn));
        require(IToken(assetOut).transfer(receiver, amountOut));
        emit Swap(assetIn, assetOut, msg.sender, receiver, amountIn, amountOut, referralCode);
    }
}

/// Deploys all of them.
contract CalledPoolsStandIn {
    FluidFactoryStandIn public immutable factory = new FluidFactoryStandIn();
    FluidLiquidityStandIn public immutable liquidity = new FluidLiquidityStandIn();
    FluidResolverStandIn public immutable resolver = new FluidResolverStandIn();
    FourMemeManagerStandIn public immutable manager = new FourMemeManagerStandIn();
    FourMemeHelperStandIn public immutable helper = new FourMemeHelperStandIn(manager);

    PegBasketStandIn public basket;

    function openBasket(address[3] memory coins) external {
        basket = new PegBasketStandIn(coins);
    }

    function openPool(uint256 number, address[2] memory tokens, uint256[2] memory held) external {
        FluidPoolStandIn pool = new FluidPoolStandIn(number, liquidity, tokens, held);
        factory.admit(number, address(pool));
        liquidity.admit(address(pool));
    }
}
