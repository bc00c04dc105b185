// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface ICalledPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

interface IPaidToken {
    function transfer(address to, uint256 value) external returns (bool);
}

/// Calls pools that call back for what they are owed, whatever their callback is named, and creates
/// pools that ask their creator for their parameters, as PancakeSwap's V3 pools do.
contract PoolCaller {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address public created;

    function create(Parameters calldata wanted, bytes memory code) external {
        parameters = wanted;
        address pool;
        assembly {
            pool := create(0, add(code, 32), mload(code))
        }
        require(pool != address(0), "not created");
        created = pool;
    }

    function run(address target, bytes calldata data) external {
        (bool ok, bytes memory answer) = target.call(data);
        if (ok) return;
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }

    /// A callback: both amounts come first, and those above zero are owed.
    fallback() external {
        (int256 amount0, int256 amount1) = abi.decode(msg.data[4:68], (int256, int256));
        ICalledPool pool = ICalledPool(msg.sender);
        if (amount0 > 0) IPaidToken(pool.token0()).transfer(msg.sender, uint256(amount0));
        if (amount1 > 0) IPaidToken(pool.token1()).transfer(msg.sender, uint256(amount1));
    }
}
