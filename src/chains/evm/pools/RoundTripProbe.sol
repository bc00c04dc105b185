// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Buys and sells in given pools and tells what was lost on the way. It is never deployed: a node is
/// asked to pretend that its code stands at some empty address, and forgets it with the answer.
contract RoundTripProbe {
    struct Hop {
        /// 2, 3 or 4, for Uniswap V2, V3 and V4; 5 for a pair that says itself what it pays; 6 for a
        /// pool that Balancer's vault keeps; 7 for a stable pool of Curve.
        uint8 kind;
        /// The pair, the pool, V4's manager or Balancer's vault.
        address pool;
        /// The zero address is the native coin, in V4 pools only.
        address tokenIn;
        address tokenOut;
        /// V2: the pair's fee in pips. V4: the fee in the pool's key. Curve: the index of a coin, and
        /// in the next field that of the other one.
        uint24 fee;
        int24 tickSpacing;
        /// Balancer: the pool's own contract, which knows the vault's word for it. Curve: the coin
        /// of the first index.
        address hooks;
    }

    /// One swap: what was sent and what of it arrived, what the pool paid and what of it was received.
    struct Measure {
        /// 0 not tried, 1 done, 2 failed.
        uint8 status;
        uint256 sent;
        uint256 arrived;
        uint256 paid;
        uint256 received;
        /// Of what the pool pays, what lay in it beyond its reserves: whoever sells there next gets more.
        uint256 stray;
        /// What the token's own contract used of gas to take what was sent.
        uint256 gas;
        /// V4: the pool's slot 0 and liquidity right before the swap, as read from the manager.
        uint256 slot0;
        uint256 liquidity;
    }

    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    /// Where V4's manager keeps its pools, and where in a pool its liquidity stands.
    uint256 private constant POOLS_SLOT = 6;
    uint256 private constant LIQUIDITY_OFFSET = 3;
    uint160 private constant SQRT_PRICE_MIN = 4295128740;
    uint160 private constant SQRT_PRICE_MAX = 1461446703485210103287273052203988822378723970341;

    /// What arrived during the swap that is under way.
    uint256 private arrivedNow;
    /// What sending it used of gas.
    uint256 private gasNow;
    /// The V4 pool before that swap.
    uint256 private slot0Now;
    uint256 private liquidityNow;

    receive() external payable {}

    /// Tells that the node has put this code where it was asked to.
    function ping() external pure returns (uint256) {
        return 1;
    }

    /// The whole trip with this contract as the owner, who sells a tenth first, then the rest.
    function roundTrip(Hop[] calldata hops, Hop[] calldata back, uint256 amountIn, address wrapped)
        external
        payable
        returns (Measure[] memory there, Measure[] memory again, Measure[] memory rest)
    {
        again = new Measure[](back.length);
        rest = new Measure[](back.length);
        there = run(hops, amountIn, address(this), address(this), wrapped);
        if (there[hops.length - 1].status != 1) return (there, again, rest);
        uint256 bought = there[hops.length - 1].received;
        uint256 part = toPart(bought, 1000);
        again = run(back, part, address(this), address(this), wrapped);
        if (again[back.length - 1].status == 1 && part < bought) {
            rest = run(back, bought - part, address(this), address(this), wrapped);
        }
    }

    /// The whole if the part would be nothing.
    function toPart(uint256 amount, uint256 shareBps) private pure returns (uint256) {
        uint256 part = amount * shareBps / 10_000;
        return part == 0 ? amount : part;
    }

    /// The way there, for whoever calls, paid with what this contract has.
    function buy(Hop[] calldata hops, uint256 amountIn, address wrapped)
        external
        payable
        returns (Measure[] memory)
    {
        return run(hops, amountIn, address(this), msg.sender, wrapped);
    }

    /// The way back with a share of what the caller has, who must have approved this contract.
    function sell(Hop[] calldata back, address wrapped, uint256 shareBps)
        external
        returns (Measure[] memory)
    {
        uint256 amount = toPart(balanceOf(back[0].tokenIn, msg.sender), shareBps);
        return run(back, amount, msg.sender, msg.sender, wrapped);
    }

    function run(Hop[] calldata hops, uint256 amountIn, address payer, address recipient, address wrapped)
        private
        returns (Measure[] memory measures)
    {
        measures = new Measure[](hops.length);
        uint256 amount = amountIn;
        // What is spent first is the native coin, unless a token comes back.
        address held = payer == address(this) && hops[0].tokenIn == wrapped ? address(0) : hops[0].tokenIn;
        for (uint256 i = 0; i < hops.length; i++) {
            address from = i == 0 ? payer : address(this);
            address to = i + 1 == hops.length ? recipient : address(this);
            convert(held, hops[i].tokenIn, amount, wrapped);
            // Half of the gas each, so that a token that burns it all leaves enough to tell of it.
            try this.swap{gas: gasleft() / 2}(hops[i], amount, from, to) returns (Measure memory done) {
                measures[i] = done;
            } catch {
                measures[i].status = 2;
                measures[i].sent = amount;
                try this.push{gas: gasleft() / 2}(hops[i], amount, from) returns (uint256 arrived) {
                    measures[i].arrived = arrived;
                } catch {}
                return measures;
            }
            amount = measures[i].received;
            held = hops[i].tokenOut;
        }
    }

    /// The native coin and its wrapping, one into the other where the next pool wants it so.
    function convert(address held, address wanted, uint256 amount, address wrapped) private {
        if (held == wanted) return;
        if (held == address(0) && wanted == wrapped) IWrapped(wrapped).deposit{value: amount}();
        if (held == wrapped && wanted == address(0)) IWrapped(wrapped).withdraw(amount);
    }

    /// Only sends, to see what arrives where a swap failed.
    function push(Hop calldata hop, uint256 amount, address from) external returns (uint256) {
        if (hop.tokenIn == address(0)) return amount;
        return move(hop.tokenIn, from, hop.pool, amount);
    }

    function swap(Hop calldata hop, uint256 amount, address from, address to)
        external
        returns (Measure memory measure)
    {
        measure.sent = amount;
        uint256 before = balanceOf(hop.tokenOut, to);
        bool isPair = hop.kind == 2 || hop.kind == 5;
        if (isPair) measure.stray = toStray(hop);
        if (isPair) measure.paid = swapPair(hop, amount, from, to);
        if (hop.kind == 3) measure.paid = swapV3(hop, amount, from, to);
        if (hop.kind == 4) measure.paid = swapV4(hop, amount, from, to);
        if (hop.kind == 6) measure.paid = swapVault(hop, amount, from, to);
        if (hop.kind == 7) measure.paid = swapCurve(hop, amount, from, to);
        measure.arrived = arrivedNow;
        measure.gas = gasNow;
        if (hop.kind == 4) (measure.slot0, measure.liquidity) = (slot0Now, liquidityNow);
        measure.received = balanceOf(hop.tokenOut, to) - before;
        measure.status = 1;
    }

    function toStray(Hop calldata hop) private view returns (uint256) {
        (uint256 reserve0, uint256 reserve1) = IPair(hop.pool).getReserves();
        uint256 reserveOut = hop.tokenIn < hop.tokenOut ? reserve1 : reserve0;
        uint256 balance = balanceOf(hop.tokenOut, hop.pool);
        return balance > reserveOut ? balance - reserveOut : 0;
    }

    function swapPair(Hop calldata hop, uint256 amount, address from, address to)
        private
        returns (uint256 out)
    {
        move(hop.tokenIn, from, hop.pool, amount);
        (uint256 reserve0, uint256 reserve1) = IPair(hop.pool).getReserves();
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (uint256 reserveIn, uint256 reserveOut) =
            zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        // What lay there beyond the reserves counts as paid in: then more is paid out than promised.
        arrivedNow = balanceOf(hop.tokenIn, hop.pool) - reserveIn;
        if (hop.kind == 5) {
            out = IPair(hop.pool).getAmountOut(arrivedNow, hop.tokenIn);
        } else {
            uint256 kept = arrivedNow * (1_000_000 - hop.fee);
            out = kept * reserveOut / (reserveIn * 1_000_000 + kept);
        }
        IPair(hop.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, to, "");
    }

    function swapV3(Hop calldata hop, uint256 amount, address from, address to)
        private
        returns (uint256)
    {
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (int256 amount0, int256 amount1) = IPool(hop.pool).swap(
            to,
            zeroForOne,
            int256(amount),
            zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX,
            abi.encode(hop.tokenIn, from)
        );
        return uint256(-(zeroForOne ? amount1 : amount0));
    }

    /// The callback of a V3 pool, whose name differs from exchange to exchange.
    fallback() external {
        (int256 amount0, int256 amount1, bytes memory data) =
            abi.decode(msg.data[4:], (int256, int256, bytes));
        (address token, address from) = abi.decode(data, (address, address));
        arrivedNow = move(token, from, msg.sender, uint256(amount0 > 0 ? amount0 : amount1));
    }

    function swapV4(Hop calldata hop, uint256 amount, address from, address to)
        private
        returns (uint256)
    {
        return abi.decode(IManager(hop.pool).unlock(abi.encode(hop, amount, from, to)), (uint256));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Hop memory hop, uint256 amount, address from, address to) =
            abi.decode(data, (Hop, uint256, address, address));
        IManager manager = IManager(msg.sender);
        bool zeroForOne = hop.tokenIn < hop.tokenOut;
        (address currency0, address currency1) =
            zeroForOne ? (hop.tokenIn, hop.tokenOut) : (hop.tokenOut, hop.tokenIn);
        PoolKey memory key = PoolKey(currency0, currency1, hop.fee, hop.tickSpacing, hop.hooks);
        readPool(manager, key);
        uint160 limit = zeroForOne ? SQRT_PRICE_MIN : SQRT_PRICE_MAX;
        int256 delta = manager.swap(key, SwapParams(zeroForOne, -int256(amount), limit), "");
        (int128 amount0, int128 amount1) = (int128(delta >> 128), int128(delta));
        uint256 owed = uint256(uint128(-(zeroForOne ? amount0 : amount1)));
        uint256 out = uint256(uint128(zeroForOne ? amount1 : amount0));
        if (hop.tokenIn == address(0)) {
            arrivedNow = owed;
            gasNow = 0;
            manager.settle{value: owed}();
        } else {
            manager.sync(hop.tokenIn);
            arrivedNow = move(hop.tokenIn, from, msg.sender, owed);
            manager.settle();
        }
        manager.take(hop.tokenOut, to, out);
        return abi.encode(out);
    }

    /// The vault takes tokens of its caller only: what another pays comes here first.
    function swapVault(Hop calldata hop, uint256 amount, address from, address to)
        private
        returns (uint256 out)
    {
        uint256 used;
        (amount, used) = collect(hop, amount, from);
        uint256 before = balanceOf(hop.tokenIn, hop.pool);
        IVault.SingleSwap memory single = IVault.SingleSwap(
            IVaultPool(hop.hooks).getPoolId(), 0, hop.tokenIn, hop.tokenOut, amount, ""
        );
        IVault.Funds memory funds = IVault.Funds(address(this), false, payable(to), false);
        out = IVault(hop.pool).swap(single, funds, 0, block.timestamp);
        arrivedNow = balanceOf(hop.tokenIn, hop.pool) - before;
        gasNow = used;
    }

    /// What a pool takes of its caller comes here first, and is approved. Tells what arrived here.
    function collect(Hop calldata hop, uint256 amount, address from)
        private
        returns (uint256 here, uint256 used)
    {
        here = amount;
        if (from != address(this)) {
            here = move(hop.tokenIn, from, address(this), amount);
            used = gasNow;
        }
        bytes memory approval = abi.encodeWithSignature("approve(address,uint256)", hop.pool, here);
        (bool ok,) = hop.tokenIn.call(approval);
        require(ok, "APPROVE_FAILED");
    }

    /// The pool pays its caller.
    function swapCurve(Hop calldata hop, uint256 amount, address from, address to)
        private
        returns (uint256 out)
    {
        (uint256 here, uint256 used) = collect(hop, amount, from);
        uint256 before = balanceOf(hop.tokenIn, hop.pool);
        uint256 had = balanceOf(hop.tokenOut, address(this));
        (int128 first, int128 second) = (int128(uint128(hop.fee)), int128(hop.tickSpacing));
        bool isFirstIn = hop.tokenIn == hop.hooks;
        ICurvePool(hop.pool).exchange(
            isFirstIn ? first : second, isFirstIn ? second : first, here, 0
        );
        (arrivedNow, gasNow) = (balanceOf(hop.tokenIn, hop.pool) - before, used);
        uint256 got = balanceOf(hop.tokenOut, address(this)) - had;
        if (to != address(this)) move(hop.tokenOut, address(this), to, got);
        gasNow = used;
        out = got;
    }

    function readPool(IManager manager, PoolKey memory key) private {
        uint256 slot = uint256(keccak256(abi.encode(keccak256(abi.encode(key)), POOLS_SLOT)));
        slot0Now = uint256(manager.extsload(bytes32(slot)));
        liquidityNow = uint256(manager.extsload(bytes32(slot + LIQUIDITY_OFFSET)));
    }

    /// Sends a token and tells by how much the receiver has more of it.
    function move(address token, address from, address to, uint256 amount) private returns (uint256) {
        uint256 before = balanceOf(token, to);
        bytes memory call = from == address(this)
            ? abi.encodeWithSignature("transfer(address,uint256)", to, amount)
            : abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount);
        uint256 gasBefore = gasleft();
        (bool ok, bytes memory answer) = token.call(call);
        gasNow = gasBefore - gasleft();
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "TRANSFER_FAILED");
        return balanceOf(token, to) - before;
    }

    function balanceOf(address token, address owner) private view returns (uint256) {
        return token == address(0) ? owner.balance : IToken(token).balanceOf(owner);
    }
}

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
}

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IPair {
    /// More may follow.
    function getReserves() external view returns (uint256, uint256);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
}

interface IPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Old pools answer nothing.
interface ICurvePool {
    function exchange(int128 i, int128 j, uint256 amount, uint256 least) external;
}

interface IVaultPool {
    function getPoolId() external view returns (bytes32);
}

interface IVault {
    struct SingleSwap {
        bytes32 poolId;
        uint8 kind;
        address assetIn;
        address assetOut;
        uint256 amount;
        bytes userData;
    }

    struct Funds {
        address sender;
        bool fromInternalBalance;
        address payable recipient;
        bool toInternalBalance;
    }

    function swap(SingleSwap calldata single, Funds calldata funds, uint256 limit, uint256 deadline)
        external
        payable
        returns (uint256);
}

interface IManager {
    function extsload(bytes32 slot) external view returns (bytes32);
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(
        RoundTripProbe.PoolKey calldata key,
        RoundTripProbe.SwapParams calldata params,
        bytes calldata hookData
    ) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}
