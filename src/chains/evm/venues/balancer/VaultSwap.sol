// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapProbe} from "../SwapProbe.sol";

/// Pools that Balancer's vault keeps: `hooks` is the pool's own contract, which knows its word.
abstract contract VaultSwap is SwapProbe {
    /// The vault takes tokens of its caller only: what another pays comes here first.
    function swapVault(Hop calldata hop, uint256 amount, address from, address to)
        internal
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
