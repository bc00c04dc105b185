// Paths that pay a fixed output, found from the output back: of all ways to pay an amount of a
// token, the one that takes least of the token before.

import type { SwapOutcome } from '../../amm/swap-outcome.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import {
  HOP_COUNT_MAX,
  NODE_IN,
  NODE_OUT,
  type RouteEdge,
  type RouteField,
} from './route-field.ts';
import type { RouteCost } from './route-single.ts';
import { type SearchWork, SWAP_EVALUATIONS } from './search-work.ts';

const BPS = 10_000n;
/** More than the curves' own error. */
const ABOUT_MARGIN = 1 - 2e-6;

/** A hop, what it is asked for, and the swap that pays it. */
interface OutputStep {
  readonly edge: RouteEdge;
  readonly askedOut: bigint;
  readonly swap: SwapOutcome;
}

function findTokens({ pool, zeroForOne }: RouteEdge): readonly [Address, Address] {
  return zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
}

/** Whether one command does both hops. */
function areJoined(first: RouteEdge, next: RouteEdge): boolean {
  const isSameToken = findTokens(first)[1] === findTokens(next)[0];
  return isSameToken && first.pool.bytes.command === next.pool.bytes.command;
}

/** What a hop is asked for so that the next one has enough, also if its price moves. */
function addReserve(amount: bigint, reserveBps: number): bigint {
  return (amount * (BPS + BigInt(reserveBps)) + BPS - 1n) / BPS;
}

export class OutputPath {
  readonly #edges: readonly RouteEdge[];

  constructor(edges: readonly RouteEdge[]) {
    this.#edges = edges;
  }

  get length(): number {
    return this.#edges.length;
  }

  get edges(): readonly RouteEdge[] {
    return this.#edges;
  }

  /** Whether the hop at this index and the one before are done by one command. */
  isJoined(index: number): boolean {
    const [before, edge] = [this.#edges[index - 1], this.#edges[index]];
    return before !== undefined && edge !== undefined && areJoined(before, edge);
  }

  /** In execution order; null if a pool cannot pay what it is asked for. */
  findSteps(amountOut: bigint, reserveBps: number): readonly OutputStep[] | null {
    const steps: OutputStep[] = [];
    let askedOut = amountOut;
    for (let index = this.#edges.length - 1; index >= 0; index -= 1) {
      const edge = this.#edges[index] as RouteEdge;
      const swap = edge.pool.curve.swapOut(edge.zeroForOne, askedOut);
      if (!swap.isFilled) return null;
      steps.unshift({ edge, askedOut, swap });
      askedOut = this.isJoined(index) ? swap.amountIn : addReserve(swap.amountIn, reserveBps);
    }
    return steps;
  }
}

/** A node that can be left with an amount, by the given edges. */
interface NeededAmount {
  readonly node: number;
  readonly amount: bigint;
  readonly edges: readonly RouteEdge[];
}

interface PathSearch {
  /** Whether a transaction is long enough for a path; absent if any is. */
  readonly hasBytesFor?: ((path: readonly RouteEdge[]) => boolean) | undefined;
  readonly reserveBps: number;
  readonly cost: RouteCost;
  readonly work: SearchWork;
}

/** The paths of a field, without those through pools that were excluded. */
export class OutputPaths {
  readonly #search: PathSearch;
  readonly #arriving: readonly (readonly RouteEdge[])[];
  readonly #excluded = new Set<PoolId>();

  constructor(field: RouteField, search: PathSearch) {
    this.#search = search;
    const arriving: RouteEdge[][] = Array.from({ length: field.nodeCount }, () => []);
    for (const edge of field.edges) arriving[edge.to]?.push(edge);
    this.#arriving = arriving;
  }

  get isUntouched(): boolean {
    return this.#excluded.size === 0;
  }

  exclude({ edges }: OutputPath): void {
    for (const { pool } of edges) this.#excluded.add(pool.pool);
  }

  /** Net of cost; null if no path can pay the output. */
  findCheapest(amountOut: bigint): OutputPath | null {
    let allNeeded: readonly NeededAmount[] = [{ node: NODE_OUT, amount: amountOut, edges: [] }];
    let best: { readonly edges: readonly RouteEdge[]; readonly net: bigint } | null = null;
    for (let hop = 1; hop <= HOP_COUNT_MAX; hop += 1) {
      const next = allNeeded.flatMap((needed) => [...this.#stepBack(needed)]);
      for (const { node, amount, edges } of next) {
        const { cost, hasBytesFor = () => true } = this.#search;
        const net = node === NODE_IN ? amount + cost(edges) : null;
        const isBetter = net !== null && (best === null || net < best.net);
        if (isBetter && hasBytesFor(edges)) best = { edges, net };
      }
      allNeeded = keepCheapest(next.filter(({ node }) => node !== NODE_IN));
    }
    return best && new OutputPath(best.edges);
  }

  /** The cheapest hop of each command from each node to a needed's. */
  *#stepBack(needed: NeededAmount): Generator<NeededAmount> {
    const [after] = needed.edges;
    const amountOf = (edge: RouteEdge) =>
      after === undefined || areJoined(edge, after)
        ? needed.amount
        : addReserve(needed.amount, this.#search.reserveBps);
    const isChanged = ({ shared }: RouteEdge['pool']) =>
      shared !== undefined && needed.edges.some((edge) => edge.pool.shared === shared);
    const isFree = ({ pool }: RouteEdge) => !this.#excluded.has(pool.pool) && !isChanged(pool);
    const edges = (this.#arriving[needed.node] ?? []).filter(isFree);
    for (const group of Map.groupBy(edges, nameGroup).values()) {
      const found = this.#findCheapestEdge(group, amountOf);
      if (found === null) continue;
      const { edge, amount } = found;
      yield { node: edge.from, amount, edges: [edge, ...needed.edges] };
    }
  }

  /** The curves say which pools need not be computed exactly. */
  #findCheapestEdge(edges: readonly RouteEdge[], amountOf: (edge: RouteEdge) => bigint) {
    const { work } = this.#search;
    const guesses = edges.map((edge) => {
      const askedOut = amountOf(edge);
      return { edge, askedOut, about: edge.curve.computeInFor(Number(askedOut)) };
    });
    work.add(guesses.length);
    const able = guesses.filter(({ about }) => Number.isFinite(about));
    able.sort((a, b) => a.about - b.about);
    let best: { readonly edge: RouteEdge; readonly amount: bigint } | null = null;
    for (const { edge, askedOut, about } of able) {
      if (best !== null && about * ABOUT_MARGIN > Number(best.amount)) break;
      work.add(SWAP_EVALUATIONS);
      const { isFilled, amountIn } = edge.pool.curve.swapOut(edge.zeroForOne, askedOut);
      if (isFilled && (best === null || amountIn < best.amount)) best = { edge, amount: amountIn };
    }
    return best;
  }
}

/** Hops of one command are compared: which one it is decides what a hop before costs. */
function nameGroup(edge: RouteEdge): string {
  return `${edge.from} ${edge.pool.bytes.command} ${findTokens(edge)[0]}`;
}

/** Of the allNeeded that are equal for the hops before them, the one that takes least. */
function keepCheapest(allNeeded: readonly NeededAmount[]): NeededAmount[] {
  const kept = new Map<string, NeededAmount>();
  for (const needed of allNeeded) {
    const [edge] = needed.edges;
    const name = edge === undefined ? '' : nameGroup(edge);
    const known = kept.get(name);
    if (known === undefined || needed.amount < known.amount) kept.set(name, needed);
  }
  return [...kept.values()];
}
