// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// STAND-INS for LFJ's Liquidity Book v2.2, which npm does not have as code: a factory, its pairs and
// a router, in their wire format, by the formulas and without any of their code. Anybody deposits
// into bins as they like; there are no shares and no fees for changing a bin's composition. Prices
// must be near one and amounts below 2^100, so that products fit into 256 bits.

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address owner) external view returns (uint256);
}

interface ICoin is IToken {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

struct Parameters {
    uint16 baseFactor;
    uint16 filterPeriod;
    uint16 decayPeriod;
    uint16 reductionFactor;
    uint24 variableFeeControl;
    uint16 protocolShare;
    uint24 maxVolatility;
}

struct Movement {
    uint24 volatility;
    uint24 volatilityReference;
    uint24 idReference;
    uint40 updatedAt;
}

contract BookPairStandIn {
    event Swap(
        address indexed sender,
        address indexed to,
        uint24 id,
        bytes32 amountsIn,
        bytes32 amountsOut,
        uint24 volatility,
        bytes32 totalFees,
        bytes32 protocolFees
    );
    event DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts);
    event WithdrawnFromBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts);
    event StaticFeeParametersSet(
        address indexed sender, uint16, uint16, uint16, uint16, uint24, uint16, uint24
    );
    event HooksParametersSet(address indexed sender, bytes32 hooks);
    event ForcedDecay(address indexed sender, uint24 idReference, uint24 volatilityReference);

    error LBPair__OutOfLiquidity();
    error LBPair__InsufficientAmountIn();
    error LBPair__InsufficientAmountOut();

    uint256 private constant E18 = 1e18;
    uint24 private constant NONE = type(uint24).max;

    address public immutable getFactory;
    address public immutable getTokenX;
    address public immutable getTokenY;
    uint16 public immutable getBinStep;
    uint24 public getActiveId;
    Parameters public getStaticFeeParameters;
    Movement public getVariableFeeParameters;
    bytes32 public getLBHooksParameters;
    mapping(uint24 => uint256[2]) private bins;
    /// Of X and Y: what all bins have, and what the protocol is owed.
    uint256[2] private held;
    uint256[2] private owed;
    /// All bins that ever had anything are between these.
    uint24 private lowest = NONE;
    uint24 private highest;

    constructor(address x, address y, uint16 step, uint24 id, Parameters memory fee) {
        (getFactory, getTokenX, getTokenY, getBinStep, getActiveId) = (msg.sender, x, y, step, id);
        getVariableFeeParameters.idReference = id;
        setParameters(fee);
    }

    function setParameters(Parameters memory fee) public {
        getStaticFeeParameters = fee;
        emit StaticFeeParametersSet(
            msg.sender,
            fee.baseFactor,
            fee.filterPeriod,
            fee.decayPeriod,
            fee.reductionFactor,
            fee.variableFeeControl,
            fee.protocolShare,
            fee.maxVolatility
        );
    }

    function setHooks(bytes32 hooks) external {
        getLBHooksParameters = hooks;
        emit HooksParametersSet(msg.sender, hooks);
    }

    function forceDecay() external {
        Movement storage now_ = getVariableFeeParameters;
        emit ForcedDecay(msg.sender, now_.idReference, now_.volatilityReference);
        now_.idReference = getActiveId;
        now_.volatilityReference = reduce(now_.volatility);
    }

    function getReserves() external view returns (uint128, uint128) {
        return (uint128(held[0]), uint128(held[1]));
    }

    function getBin(uint24 id) external view returns (uint128, uint128) {
        return (uint128(bins[id][0]), uint128(bins[id][1]));
    }

    function getNextNonEmptyBin(bool down, uint24 id) public view returns (uint24) {
        while (down ? id > lowest : id < highest) {
            id = down ? id - 1 : id + 1;
            if (bins[id][0] + bins[id][1] > 0) return id;
        }
        return down ? NONE : 0;
    }

    /// The tokens must have been sent before.
    function deposit(uint256[] calldata ids, bytes32[] calldata amounts) external {
        for (uint256 i = 0; i < ids.length; i++) {
            uint24 id = uint24(ids[i]);
            (uint256 x, uint256 y) = unpack(amounts[i]);
            require((id <= getActiveId || y == 0) && (id >= getActiveId || x == 0), "SIDE");
            move(id, x, y);
            if (id < lowest) lowest = id;
            if (id > highest) highest = id;
        }
        require(received(0) == 0 && received(1) == 0, "SENT");
        emit DepositedToBins(msg.sender, msg.sender, ids, amounts);
    }

    function withdraw(uint256[] calldata ids, bytes32[] calldata amounts) external {
        for (uint256 i = 0; i < ids.length; i++) {
            (uint256 x, uint256 y) = unpack(amounts[i]);
            uint256[2] storage bin = bins[uint24(ids[i])];
            (bin[0], bin[1]) = (bin[0] - x, bin[1] - y);
            (held[0], held[1]) = (held[0] - x, held[1] - y);
            IToken(getTokenX).transfer(msg.sender, x);
            IToken(getTokenY).transfer(msg.sender, y);
        }
        emit WithdrawnFromBins(msg.sender, msg.sender, ids, amounts);
    }

    function swap(bool swapForY, address to) external returns (bytes32) {
        uint256 left = received(swapForY ? 0 : 1);
        if (left == 0) revert LBPair__InsufficientAmountIn();
        renew();
        uint256 paid;
        for (uint24 id = getActiveId;;) {
            if (bins[id][swapForY ? 1 : 0] > 0) {
                (uint256 taken, uint256 out) = swapIn(id, swapForY, left, to);
                (left, paid) = (left - taken, paid + out);
            }
            if (left == 0) {
                getActiveId = id;
                break;
            }
            id = getNextNonEmptyBin(swapForY, id);
            if (id == 0 || id == NONE) revert LBPair__OutOfLiquidity();
        }
        if (paid == 0) revert LBPair__InsufficientAmountOut();
        IToken(swapForY ? getTokenY : getTokenX).transfer(to, paid);
        return pack(swapForY ? 1 : 0, paid);
    }

    function swapIn(uint24 id, bool swapForY, uint256 left, address to)
        private
        returns (uint256 taken, uint256 out)
    {
        uint256 rate = toRate(id);
        uint256 price = toPrice(id);
        uint256 has = bins[id][swapForY ? 1 : 0];
        uint256 cost = swapForY ? up(has << 128, price) : up(has * price, 1 << 128);
        uint256 fee = up(cost * rate, E18 - rate);
        (taken, out) = (cost + fee, has);
        if (left < taken) {
            fee = up(left * rate, E18);
            uint256 rest = left - fee;
            out = swapForY ? (rest * price) >> 128 : (rest << 128) / price;
            (taken, out) = (left, out < has ? out : has);
        }
        uint256 protocol = fee * getStaticFeeParameters.protocolShare / 10_000;
        uint256 side = swapForY ? 0 : 1;
        owed[side] += protocol;
        held[side] += taken - protocol;
        held[1 - side] -= out;
        bins[id][side] += taken - protocol;
        bins[id][1 - side] -= out;
        emit Swap(
            msg.sender,
            to,
            id,
            pack(side, taken - protocol),
            pack(1 - side, out),
            getVariableFeeParameters.volatility,
            pack(side, fee),
            pack(side, protocol)
        );
    }

    /// The references at the start of a swap.
    function renew() private {
        Movement storage last = getVariableFeeParameters;
        uint256 elapsed = block.timestamp - last.updatedAt;
        if (elapsed >= getStaticFeeParameters.filterPeriod) {
            last.idReference = getActiveId;
            bool decays = elapsed < getStaticFeeParameters.decayPeriod;
            last.volatilityReference = decays ? reduce(last.volatility) : 0;
        }
        last.updatedAt = uint40(block.timestamp);
    }

    function reduce(uint24 volatility) private view returns (uint24) {
        return uint24(uint256(volatility) * getStaticFeeParameters.reductionFactor / 10_000);
    }

    /// Of 1e18, in a bin; remembers the volatility there.
    function toRate(uint24 id) private returns (uint256) {
        Movement storage last = getVariableFeeParameters;
        Parameters storage fee = getStaticFeeParameters;
        uint24 origin = last.idReference;
        uint256 moved = id > origin ? id - origin : origin - id;
        uint256 volatility = last.volatilityReference + moved * 10_000;
        if (volatility > fee.maxVolatility) volatility = fee.maxVolatility;
        last.volatility = uint24(volatility);
        uint256 square = (volatility * getBinStep) ** 2;
        return uint256(fee.baseFactor) * getBinStep * 1e10
            + up(square * fee.variableFeeControl, 100);
    }

    /// (1 + step)^(id - 2^23) with 128 fraction bits, as powers of the inverse.
    function toPrice(uint24 id) private view returns (uint256 power) {
        uint256 exponent = id > 1 << 23 ? id - (1 << 23) : (1 << 23) - id;
        power = 1 << 128;
        if (exponent == 0) return power;
        uint256 square = type(uint256).max / ((1 << 128) + (uint256(getBinStep) << 128) / 10_000);
        for (; exponent > 0; exponent >>= 1) {
            if (exponent & 1 == 1) power = (power * square) >> 128;
            square = (square * square) >> 128;
        }
        if (id > 1 << 23) power = type(uint256).max / power;
    }

    function move(uint24 id, uint256 x, uint256 y) private {
        (bins[id][0], bins[id][1]) = (bins[id][0] + x, bins[id][1] + y);
        (held[0], held[1]) = (held[0] + x, held[1] + y);
    }

    function received(uint256 side) private view returns (uint256) {
        address token = side == 0 ? getTokenX : getTokenY;
        return IToken(token).balanceOf(address(this)) - held[side] - owed[side];
    }

    function up(uint256 a, uint256 b) private pure returns (uint256) {
        return (a + b - 1) / b;
    }

    /// X in the low half, Y in the high one.
    function pack(uint256 side, uint256 amount) private pure returns (bytes32) {
        return bytes32(side == 0 ? amount : amount << 128);
    }

    function unpack(bytes32 both) private pure returns (uint256, uint256) {
        return (uint128(uint256(both)), uint256(both) >> 128);
    }
}

contract BookFactoryStandIn {
    event LBPairCreated(
        address indexed x, address indexed y, uint256 indexed binStep, address pair, uint256 count
    );

    struct Information {
        uint16 binStep;
        address pair;
        bool createdByOwner;
        bool ignoredForRouting;
    }

    mapping(uint160 => Information[]) private known;
    uint256 private count;

    function createLBPair(address x, address y, uint24 id, uint16 step, Parameters calldata fee)
        external
        returns (address pair)
    {
        pair = address(new BookPairStandIn(x, y, step, id, fee));
        known[uint160(x) ^ uint160(y)].push(Information(step, pair, true, false));
        emit LBPairCreated(x, y, step, pair, count++);
    }

    function getLBPairInformation(address a, address b, uint256 step)
        external
        view
        returns (Information memory found)
    {
        Information[] storage all = known[uint160(a) ^ uint160(b)];
        for (uint256 i = 0; i < all.length; i++) if (all[i].binStep == step) found = all[i];
    }

    function getAllLBPairs(address a, address b) external view returns (Information[] memory) {
        return known[uint160(a) ^ uint160(b)];
    }
}

contract BookRouterStandIn {
    struct Path {
        uint256[] pairBinSteps;
        uint8[] versions;
        address[] tokenPath;
    }

    error LBRouter__DeadlineExceeded(uint256 deadline, uint256 now_);
    error LBRouter__InsufficientAmountOut(uint256 least, uint256 out);

    BookFactoryStandIn private immutable factory;
    ICoin private immutable coin;

    constructor(BookFactoryStandIn factory_, ICoin coin_) {
        (factory, coin) = (factory_, coin_);
    }

    receive() external payable {}

    modifier before(uint256 deadline) {
        if (block.timestamp > deadline) {
            revert LBRouter__DeadlineExceeded(deadline, block.timestamp);
        }
        _;
    }

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 least,
        Path calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) {
        pull(path, amountIn);
        run(path, to, least);
    }

    function swapExactNATIVEForTokens(
        uint256 least,
        Path calldata path,
        address to,
        uint256 deadline
    ) external payable before(deadline) {
        require(path.tokenPath[0] == address(coin), "PATH");
        coin.deposit{value: msg.value}();
        coin.transfer(pairOf(path, 0), msg.value);
        run(path, to, least);
    }

    function swapExactTokensForNATIVE(
        uint256 amountIn,
        uint256 least,
        Path calldata path,
        address to,
        uint256 deadline
    ) external before(deadline) {
        require(path.tokenPath[path.tokenPath.length - 1] == address(coin), "PATH");
        pull(path, amountIn);
        uint256 out = run(path, address(this), least);
        coin.withdraw(out);
        (bool ok,) = to.call{value: out}("");
        require(ok, "PAY");
    }

    function pull(Path calldata path, uint256 amountIn) private {
        (bool ok, bytes memory answer) = path.tokenPath[0].call(
            abi.encodeCall(IToken.transferFrom, (msg.sender, pairOf(path, 0), amountIn))
        );
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "STF");
    }

    function run(Path calldata path, address to, uint256 least) private returns (uint256 out) {
        uint256 last = path.pairBinSteps.length - 1;
        for (uint256 i = 0; i <= last; i++) {
            BookPairStandIn pair = BookPairStandIn(pairOf(path, i));
            bool swapForY = pair.getTokenX() == path.tokenPath[i];
            uint256 both = uint256(pair.swap(swapForY, i == last ? to : pairOf(path, i + 1)));
            out = swapForY ? both >> 128 : both & type(uint128).max;
        }
        if (out < least) revert LBRouter__InsufficientAmountOut(least, out);
    }

    function pairOf(Path calldata path, uint256 i) private view returns (address) {
        require(path.versions[i] == 3, "VERSION");
        (address a, address b) = (path.tokenPath[i], path.tokenPath[i + 1]);
        return factory.getLBPairInformation(a, b, path.pairBinSteps[i]).pair;
    }
}
