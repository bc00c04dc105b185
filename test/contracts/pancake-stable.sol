// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// STAND-INS for PancakeSwap's stable pools, their factory and the smart router, which npm does not
// have: in their wire format, and by the formulas of pancake-smart-contracts (MIT), written anew.

/// A pool, and the factory that knows it alone.
contract PancakeStablePool {
    address[] public coins;
    uint256[] public balances;
    uint256[] public RATES;
    uint256 public A;
    uint256 public future_A;
    uint256 public fee;
    uint256 public admin_fee;
    bool public is_killed;

    event TokenExchange(
        address indexed buyer, uint256 sold, uint256 amountIn, uint256 bought, uint256 amountOut
    );
    event RampA(uint256 from, uint256 to, uint256 since, uint256 until);
    event DonateAdminFees();
    event Kill();

    constructor(address[] memory coins_, uint256 amplification, uint256 fee_, uint256 adminFee) {
        coins = coins_;
        (A, future_A, fee, admin_fee) = (amplification, amplification, fee_, adminFee);
        for (uint256 k = 0; k < coins_.length; k++) {
            RATES.push(10 ** (36 - IStableCoin(coins_[k]).decimals()));
            balances.push(0);
        }
    }

    /// What was sent here, and the administrator's part, counts from now on.
    function donate_admin_fees() external {
        for (uint256 k = 0; k < coins.length; k++) {
            balances[k] = IStableCoin(coins[k]).balanceOf(address(this));
        }
        emit DonateAdminFees();
    }

    /// The end of a ramp only: how A moves on the way is not of interest here.
    function ramp_A(uint256 to, uint256 until) external {
        future_A = to;
        emit RampA(A, to, block.timestamp, until);
    }

    function kill_me() external {
        is_killed = true;
        emit Kill();
    }

    function exchange(uint256 i, uint256 j, uint256 amount, uint256 least) external payable {
        require(!is_killed && msg.value == 0 && i != j);
        uint256[] memory x = new uint256[](coins.length);
        for (uint256 k = 0; k < x.length; k++) x[k] = RATES[k] * balances[k] / 1e18;
        uint256 paid = x[j] - findBalance(x, i, j, x[i] + amount * RATES[i] / 1e18) - 1;
        uint256 charged = paid * fee / 1e10;
        paid = (paid - charged) * 1e18 / RATES[j];
        require(paid >= least, "Exchange resulted in fewer coins than expected");
        balances[i] += amount;
        balances[j] -= paid + (charged * admin_fee / 1e10) * 1e18 / RATES[j];
        require(IStableCoin(coins[i]).transferFrom(msg.sender, address(this), amount));
        require(IStableCoin(coins[j]).transfer(msg.sender, paid));
        emit TokenExchange(msg.sender, i, amount, j, paid);
    }

    function findTotal(uint256[] memory x) private view returns (uint256 total) {
        uint256 n = x.length;
        uint256 sum;
        for (uint256 k = 0; k < n; k++) sum += x[k];
        total = sum;
        for (uint256 step = 0; step < 255; step++) {
            uint256 product = total;
            for (uint256 k = 0; k < n; k++) product = product * total / (x[k] * n);
            uint256 before = total;
            total = (A * n * sum + product * n) * total
                / ((A * n - 1) * total + (n + 1) * product);
            if (isNear(total, before)) break;
        }
    }

    function findBalance(uint256[] memory x, uint256 i, uint256 j, uint256 after_)
        private
        view
        returns (uint256 y)
    {
        uint256 n = x.length;
        uint256 total = findTotal(x);
        (uint256 c, uint256 others) = (total, 0);
        for (uint256 k = 0; k < n; k++) {
            if (k == j) continue;
            uint256 held = k == i ? after_ : x[k];
            others += held;
            c = c * total / (held * n);
        }
        c = c * total / (A * n * n);
        uint256 b = others + total / (A * n);
        y = total;
        for (uint256 step = 0; step < 255; step++) {
            uint256 before = y;
            y = (y * y + c) / (2 * y + b - total);
            if (isNear(y, before)) break;
        }
    }

    function isNear(uint256 a, uint256 b) private pure returns (bool) {
        return (a > b ? a - b : b - a) <= 1;
    }
}

/// The factory, and the smart router with its paths of stable pools.
contract PancakeStableRouter {
    struct Known {
        address pool;
        address[] coins;
    }

    IStableWrapped private immutable wrapped;
    Known[] private known;

    constructor(IStableWrapped wrapped_) {
        wrapped = wrapped_;
    }

    receive() external payable {}

    function register(address pool, address[] calldata coins) external {
        known.push(Known(pool, coins));
    }

    function getPairInfo(address a, address b) external view returns (address pool) {
        (pool,,) = find(a, b, 2);
    }

    function getThreePoolPairInfo(address a, address b) external view returns (address pool) {
        (pool,,) = find(a, b, 3);
    }

    function multicall(uint256 deadline, bytes[] calldata calls) external payable {
        require(block.timestamp <= deadline, "Transaction too old");
        for (uint256 k = 0; k < calls.length; k++) {
            (bool ok, bytes memory answer) = address(this).delegatecall(calls[k]);
            if (ok) continue;
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    /// Spends all that it holds of each token, and pays all that it holds of the last.
    function exactInputStableSwap(
        address[] calldata path,
        uint256[] calldata flag,
        uint256 amountIn,
        uint256 amountOutMin,
        address to
    ) external payable returns (uint256 amountOut) {
        require(path.length == flag.length + 1);
        IStableCoin first = IStableCoin(path[0]);
        if (path[0] == address(wrapped) && address(this).balance >= amountIn) {
            wrapped.deposit{value: amountIn}();
        } else {
            require(first.transferFrom(msg.sender, address(this), amountIn), "STF");
        }
        for (uint256 k = 0; k < flag.length; k++) {
            (address pool, uint256 i, uint256 j) = find(path[k], path[k + 1], flag[k]);
            uint256 held = IStableCoin(path[k]).balanceOf(address(this));
            require(IStableCoin(path[k]).approve(pool, held));
            PancakeStablePool(pool).exchange(i, j, held, 0);
        }
        IStableCoin last = IStableCoin(path[path.length - 1]);
        amountOut = last.balanceOf(address(this));
        require(amountOut >= amountOutMin);
        if (to != address(2)) require(last.transfer(to, amountOut));
    }

    function unwrapWETH9(uint256 least, address to) external payable {
        uint256 held = IStableCoin(address(wrapped)).balanceOf(address(this));
        require(held >= least, "Insufficient WETH9");
        wrapped.withdraw(held);
        (bool ok,) = to.call{value: held}("");
        require(ok, "STE");
    }

    function find(address a, address b, uint256 count)
        private
        view
        returns (address pool, uint256 i, uint256 j)
    {
        for (uint256 at = 0; at < known.length; at++) {
            address[] storage coins = known[at].coins;
            if (coins.length != count) continue;
            (i, j) = (count, count);
            for (uint256 k = 0; k < count; k++) {
                if (coins[k] == a) i = k;
                if (coins[k] == b) j = k;
            }
            if (i < count && j < count) return (known[at].pool, i, j);
        }
    }
}

interface IStableCoin {
    function decimals() external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IStableWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}
