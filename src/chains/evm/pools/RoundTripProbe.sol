// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VaultSwap} from "../venues/balancer/VaultSwap.sol";
import {CurveSwap} from "../venues/curve/CurveSwap.sol";
import {BookSwap} from "../venues/liquidity-book/BookSwap.sol";
import {PairSwap} from "../venues/uniswap-v2/PairSwap.sol";
import {RangeSwap} from "../venues/uniswap-v3/RangeSwap.sol";
import {V4Swap} from "../venues/uniswap-v4/V4Swap.sol";

/// Buys and sells in given pools and tells what was lost on the way. It is never deployed: a node is
/// asked to pretend that its code stands at some empty address, and forgets it with the answer.
contract RoundTripProbe is PairSwap, RangeSwap, V4Swap, VaultSwap, CurveSwap, BookSwap {
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
        /// Of a pool that one contract keeps: its slot 0 and liquidity right before the swap.
        uint256 slot0;
        uint256 liquidity;
    }

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

    /// Picks the venue's part by the kind that its `findTraded` gives.
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
        if (hop.kind == 7 || hop.kind == 9) measure.paid = swapCurve(hop, amount, from, to);
        if (hop.kind == 8) measure.paid = swapBook(hop, amount, from, to);
        measure.arrived = arrivedNow;
        measure.gas = gasNow;
        if (hop.kind == 4) (measure.slot0, measure.liquidity) = (slot0Now, liquidityNow);
        measure.received = balanceOf(hop.tokenOut, to) - before;
        measure.status = 1;
    }
}

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}
