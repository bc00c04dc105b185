// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// STAND-INS for contracts of Curve, which npm does not have, in their wire format and without any of
// their code: a registry, a stable pool by the formula of the recorded swaps, a crypto pool and the
// router.

address constant COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

/// What all of them pay with; some tokens answer nothing.
abstract contract CurvePayer {
    function heldOf(address token) internal view returns (uint256) {
        return token == COIN ? address(this).balance : ICoin(token).balanceOf(address(this));
    }

    function send(address token, address to, uint256 amount) internal {
        if (token != COIN) {
            return settle(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        }
        (bool ok,) = to.call{value: amount}("");
        require(ok, "PAY");
    }

    /// The coin comes with the call.
    function take(address token, uint256 amount) internal {
        require(msg.value == (token == COIN ? amount : 0), "VALUE");
        if (token == COIN) return;
        bytes memory call = abi.encodeWithSignature(
            "transferFrom(address,address,uint256)", msg.sender, address(this), amount
        );
        settle(token, call);
    }

    function settle(address token, bytes memory call) internal {
        (bool ok, bytes memory answer) = token.call(call);
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "STF");
    }
}

contract CurveRegistryStandIn {
    mapping(address => address[]) private known;
    mapping(uint160 => address[]) private markets;

    function register(address pool, address[] calldata coins) external {
        known[pool] = coins;
        for (uint256 i = 1; i < coins.length; i++) {
            for (uint256 k = 0; k < i; k++) {
                markets[uint160(coins[i]) ^ uint160(coins[k])].push(pool);
            }
        }
    }

    function find_pool_for_coins(address a, address b, uint256 at) external view returns (address) {
        address[] storage pools = markets[uint160(a) ^ uint160(b)];
        return at < pools.length ? pools[at] : address(0);
    }

    function get_coins(address pool) external view returns (address[] memory) {
        return known[pool];
    }

    function is_meta(address) external pure returns (bool) {
        return false;
    }

    function get_pool_asset_types(address pool) external view returns (uint8[] memory) {
        return new uint8[](known[pool].length);
    }
}

contract CurvePoolStandIn is CurvePayer {
    struct Curve {
        uint256[] held;
        uint256[] rates;
        uint256 amp;
        uint256 fee;
        uint256 offpeg;
    }

    address[] public coins;
    Curve private curve;

    event TokenExchange(
        address indexed buyer, int128 sold, uint256 amountIn, int128 bought, uint256 amountOut
    );

    constructor(address[] memory coins_, uint256 amp, uint256 fee_, uint256 offpeg) {
        coins = coins_;
        (curve.amp, curve.fee, curve.offpeg) = (amp, fee_, offpeg);
        for (uint256 k = 0; k < coins_.length; k++) {
            uint256 decimals = coins_[k] == COIN ? 18 : ICoin(coins_[k]).decimals();
            curve.rates.push(10 ** (36 - decimals));
            curve.held.push(0);
        }
    }

    receive() external payable {}

    /// What was sent here counts from now on.
    function fill() external {
        for (uint256 k = 0; k < coins.length; k++) curve.held[k] = heldOf(coins[k]);
    }

    function A_precise() external view returns (uint256) {
        return curve.amp;
    }

    function future_A() external view returns (uint256) {
        return curve.amp;
    }

    function fee() external view returns (uint256) {
        return curve.fee;
    }

    function offpeg_fee_multiplier() external view returns (uint256) {
        return curve.offpeg;
    }

    function balances(uint256 k) external view returns (uint256) {
        return curve.held[k];
    }

    function stored_rates() external view returns (uint256[] memory) {
        return curve.rates;
    }

    function get_dy(int128 i, int128 j, uint256 amount) external view returns (uint256 out) {
        (out,) = compute(curve, uint256(int256(i)), uint256(int256(j)), amount);
    }

    function exchange(int128 i, int128 j, uint256 amount, uint256 least)
        external
        payable
        returns (uint256)
    {
        (uint256 sold, uint256 bought) = (uint256(int256(i)), uint256(int256(j)));
        take(coins[sold], amount);
        (uint256 out, uint256 kept) = compute(curve, sold, bought, amount);
        require(out >= least, "Exchange resulted in fewer coins than expected");
        curve.held[sold] += amount;
        curve.held[bought] -= out + kept;
        send(coins[bought], msg.sender, out);
        emit TokenExchange(msg.sender, i, amount, j, out);
        return out;
    }

    /// What a pool in this state pays, and what of its balance goes to Curve.
    function compute(Curve memory at, uint256 i, uint256 j, uint256 amount)
        public
        pure
        returns (uint256, uint256)
    {
        uint256[] memory xp = toUnits(at);
        (uint256 had, uint256 left) = (xp[j], 0);
        uint256 rate;
        {
            uint256 amp = at.amp * xp.length;
            uint256 total = sumUp(xp, amp);
            uint256 before = xp[i];
            xp[i] += amount * at.rates[i] / 1e18;
            left = solve(xp, j, total, amp);
            rate = toRate(at, (before + xp[i]) / 2, (had + left) / 2);
        }
        uint256 paid = had - left - 1;
        uint256 charged = paid * rate / 1e10;
        uint256 kept = charged * 5e9 / 1e10;
        return ((paid - charged) * 1e18 / at.rates[j], kept * 1e18 / at.rates[j]);
    }

    /// The balances, all in the same unit.
    function toUnits(Curve memory at) private pure returns (uint256[] memory xp) {
        xp = new uint256[](at.held.length);
        for (uint256 k = 0; k < xp.length; k++) xp[k] = at.held[k] * at.rates[k] / 1e18;
    }

    function toRate(Curve memory at, uint256 p, uint256 q) private pure returns (uint256) {
        if (at.offpeg <= 1e10) return at.fee;
        uint256 sum = (p + q) * (p + q);
        return at.offpeg * at.fee / ((at.offpeg - 1e10) * 4 * p * q / sum + 1e10);
    }

    function sumUp(uint256[] memory xp, uint256 amp) private pure returns (uint256 total) {
        uint256 n = xp.length;
        for (uint256 k = 0; k < n; k++) total += xp[k];
        uint256 weighted = amp * total / 100;
        for (uint256 step = 0; step < 255; step++) {
            uint256 p = total;
            for (uint256 k = 0; k < n; k++) p = p * total / xp[k];
            p /= n ** n;
            uint256 next =
                (weighted + p * n) * total / ((amp - 100) * total / 100 + (n + 1) * p);
            bool isDone = next > total ? next - total <= 1 : total - next <= 1;
            total = next;
            if (isDone) return total;
        }
        revert("no total");
    }

    function solve(uint256[] memory xp, uint256 j, uint256 total, uint256 amp)
        private
        pure
        returns (uint256 y)
    {
        (uint256 c, uint256 sum) = (total, 0);
        for (uint256 k = 0; k < xp.length; k++) {
            if (k == j) continue;
            sum += xp[k];
            c = c * total / (xp[k] * xp.length);
        }
        c = c * total * 100 / (amp * xp.length);
        uint256 b = sum + total * 100 / amp;
        y = total;
        for (uint256 step = 0; step < 255; step++) {
            uint256 next = (y * y + c) / (2 * y + b - total);
            bool isDone = next > y ? next - y <= 1 : y - next <= 1;
            y = next;
            if (isDone) return y;
        }
        revert("no balance");
    }
}

/// Two coins by a formula that only this contract knows; it takes any other call without a word.
contract CurveCryptoStandIn is CurvePayer {
    address[2] public coins;
    uint256[2] private held;

    event TokenExchange(
        address indexed buyer,
        uint256 sold,
        uint256 amountIn,
        uint256 bought,
        uint256 amountOut,
        uint256 fee,
        uint256 packedPriceScale
    );

    constructor(address[] memory coins_) {
        (coins[0], coins[1]) = (coins_[0], coins_[1]);
    }

    receive() external payable {}

    fallback() external payable {}

    function fill() external {
        for (uint256 k = 0; k < 2; k++) held[k] = heldOf(coins[k]);
    }

    function get_dy(uint256 i, uint256 j, uint256 amount) public view returns (uint256) {
        uint256 kept = amount * 9973;
        return kept * held[j] / (held[i] * 10000 + kept);
    }

    function exchange(uint256 i, uint256 j, uint256 amount, uint256 least)
        external
        payable
        returns (uint256 out)
    {
        take(coins[i], amount);
        out = get_dy(i, j, amount);
        require(out >= least, "Slippage");
        held[i] += amount;
        held[j] -= out;
        send(coins[j], msg.sender, out);
        emit TokenExchange(msg.sender, i, amount, j, out, 0, 0);
    }
}

/// As the real one it pays all that it holds of the output but one unit.
contract CurveRouterStandIn is CurvePayer {
    IWrappedCoin private immutable wrapped;

    constructor(IWrappedCoin wrapped_) {
        wrapped = wrapped_;
    }

    receive() external payable {}

    function exchange(
        address[11] calldata route,
        uint256[5][5] calldata params,
        uint256 amount,
        uint256 least,
        address[5] calldata,
        address receiver
    ) external payable returns (uint256) {
        take(route[0], amount);
        address spent = route[0];
        for (uint256 k = 0; k < 5; k++) {
            address paid = route[2 * k + 2];
            uint256 before = heldOf(paid);
            step(route[2 * k + 1], spent, params[k], amount);
            amount = heldOf(paid);
            require(amount != before, "Received nothing");
            spent = paid;
            if (k == 4 || route[2 * k + 3] == address(0)) break;
        }
        amount -= 1;
        require(amount >= least, "Slippage");
        send(spent, receiver, amount);
        return amount;
    }

    function step(address pool, address spent, uint256[5] calldata params, uint256 amount) private {
        uint256 value = spent == COIN ? amount : 0;
        if (params[2] == 8) {
            require(pool == address(wrapped), "Swap type 8");
            if (spent == COIN) wrapped.deposit{value: amount}();
            else wrapped.withdraw(amount);
            return;
        }
        if (spent != COIN) {
            settle(spent, abi.encodeWithSignature("approve(address,uint256)", pool, amount));
        }
        require(params[2] == 1, "Bad swap type");
        string memory signature = params[3] == 1
            ? "exchange(int128,int128,uint256,uint256)"
            : "exchange(uint256,uint256,uint256,uint256)";
        (bool ok,) = pool.call{value: value}(
            abi.encodeWithSignature(signature, params[0], params[1], amount, 0)
        );
        require(ok, "SWAP");
    }
}

interface ICoin {
    function balanceOf(address owner) external view returns (uint256);
    function decimals() external view returns (uint8);
}

interface IWrappedCoin {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}
