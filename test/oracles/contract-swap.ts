// The contracts' own swap loop, written as plainly as theirs: slow, and independent of the
// service's maths, which tests compare with it.

const Q96 = 1n << 96n;
const PIPS = 1_000_000n;
const UINT256_MAX = 2n ** 256n - 1n;
const PRICE_MIN = 4295128739n;
const PRICE_MAX = 1461446703485210103287273052203988822378723970342n;

export interface OraclePool {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  readonly tickSpacing: number;
  readonly feePips: bigint;
  readonly nets: ReadonlyMap<number, bigint>;
}

export interface OracleSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  readonly crossed: number;
}

function mulDivUp(a: bigint, b: bigint, divisor: bigint): bigint {
  const product = a * b;
  return product / divisor + (product % divisor > 0n ? 1n : 0n);
}

const TICK_FACTORS = [
  '0xfffcb933bd6fad37aa2d162d1a594001',
  '0xfff97272373d413259a46990580e213a',
  '0xfff2e50f5f656932ef12357cf3c7fdcc',
  '0xffe5caca7e10e4e61c3624eaa0941cd0',
  '0xffcb9843d60f6159c9db58835c926644',
  '0xff973b41fa98c081472e6896dfb254c0',
  '0xff2ea16466c96a3843ec78b326b52861',
  '0xfe5dee046a99a2a811c461f1969c3053',
  '0xfcbe86c7900a88aedcffc83b479aa3a4',
  '0xf987a7253ac413176f2b074cf7815e54',
  '0xf3392b0822b70005940c7a398e4b70f3',
  '0xe7159475a2c29b7443b29c7fa6e889d9',
  '0xd097f3bdfd2022b8845ad8f792aa5825',
  '0xa9f746462d870fdf8a65dc1f90e061e5',
  '0x70d869a156d2a1b890bb3df62baf32f7',
  '0x31be135f97d08fd981231505542fcfa6',
  '0x9aa508b5b7a84e1c677de54f3e99bc9',
  '0x5d6af8dedb81196699c329225ee604',
  '0x2216e584f5fa1ea926041bedfe98',
  '0x48a170391f7dc42444e8fa2',
].map(BigInt);

const PRICES = new Map<number, bigint>();

export function oraclePriceAt(tick: number): bigint {
  const known = PRICES.get(tick);
  if (known !== undefined) return known;
  const price = computePriceAt(tick);
  PRICES.set(tick, price);
  return price;
}

function computePriceAt(tick: number): bigint {
  let ratio = 1n << 128n;
  TICK_FACTORS.forEach((factor, bit) => {
    if ((Math.abs(tick) & (2 ** bit)) !== 0) ratio = (ratio * factor) >> 128n;
  });
  if (tick > 0) ratio = UINT256_MAX / ratio;
  return (ratio >> 32n) + (ratio % (1n << 32n) === 0n ? 0n : 1n);
}

export function oracleTickAt(sqrtPriceX96: bigint): number {
  let low = -887272;
  let high = 887272;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (oraclePriceAt(middle) <= sqrtPriceX96) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Step {
  readonly current: bigint;
  readonly target: bigint;
  readonly liquidity: bigint;
}

function amount0(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const [lower, upper] = a < b ? [a, b] : [b, a];
  const numerator = liquidity << 96n;
  if (!up) return (numerator * (upper - lower)) / upper / lower;
  return mulDivUp(mulDivUp(numerator, upper - lower, upper), 1n, lower);
}

function amount1(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const difference = a < b ? b - a : a - b;
  return up ? mulDivUp(liquidity, difference, Q96) : (liquidity * difference) / Q96;
}

function priceFromInput(step: Step, amount: bigint, zeroForOne: boolean): bigint {
  const { current, liquidity } = step;
  if (!zeroForOne) return current + (amount * Q96) / liquidity;
  if (amount === 0n) return current;
  const numerator = liquidity << 96n;
  const product = amount * current;
  if (product <= UINT256_MAX && numerator + product <= UINT256_MAX) {
    return mulDivUp(numerator, current, numerator + product);
  }
  return mulDivUp(numerator, 1n, numerator / current + amount);
}

function priceFromOutput(step: Step, amount: bigint, zeroForOne: boolean): bigint {
  const { current, liquidity } = step;
  if (zeroForOne) return current - mulDivUp(amount, Q96, liquidity);
  if (amount === 0n) return current;
  const numerator = liquidity << 96n;
  return mulDivUp(numerator, current, numerator - amount * current);
}

/** `remaining` is positive for exact input and negative for exact output, as V3 has it. */
function computeStep(step: Step, remaining: bigint, feePips: bigint) {
  const { current, target, liquidity } = step;
  const zeroForOne = current >= target;
  const exactIn = remaining >= 0n;
  const computeIn = (a: bigint, b: bigint) =>
    zeroForOne ? amount0(a, b, liquidity, true) : amount1(a, b, liquidity, true);
  const computeOut = (a: bigint, b: bigint) =>
    zeroForOne ? amount1(a, b, liquidity, false) : amount0(a, b, liquidity, false);
  let next: bigint;
  if (exactIn) {
    const lessFee = (remaining * (PIPS - feePips)) / PIPS;
    next =
      lessFee >= computeIn(current, target) ? target : priceFromInput(step, lessFee, zeroForOne);
  } else {
    next =
      -remaining >= computeOut(current, target)
        ? target
        : priceFromOutput(step, -remaining, zeroForOne);
  }
  const amountIn = computeIn(current, next);
  let amountOut = computeOut(current, next);
  if (!exactIn && amountOut > -remaining) amountOut = -remaining;
  const fee =
    exactIn && next !== target ? remaining - amountIn : mulDivUp(amountIn, feePips, PIPS - feePips);
  return { next, amountIn, amountOut, fee };
}

/** `nextInitializedTickWithinOneWord`, over a map instead of a bitmap. */
function findNextTick(pool: OraclePool, tick: number, down: boolean): number {
  const { tickSpacing, nets } = pool;
  let compressed = Math.trunc(tick / tickSpacing);
  if (tick < 0 && tick % tickSpacing !== 0) compressed -= 1;
  if (down) {
    for (let at = compressed; ; at -= 1) {
      if (nets.has(at * tickSpacing) || (at & 255) === 0) return at * tickSpacing;
    }
  }
  for (let at = compressed + 1; ; at += 1) {
    if (nets.has(at * tickSpacing) || (at & 255) === 255) return at * tickSpacing;
  }
}

/** `specified` as V3's `amountSpecified`: positive spends it, negative buys it. */
export function oracleSwap(pool: OraclePool, zeroForOne: boolean, specified: bigint): OracleSwap {
  const limit = zeroForOne ? PRICE_MIN + 1n : PRICE_MAX - 1n;
  let { sqrtPriceX96, liquidity, tick } = pool;
  let remaining = specified;
  let amountIn = 0n;
  let amountOut = 0n;
  let crossed = 0;
  while (remaining !== 0n && sqrtPriceX96 !== limit) {
    const start = sqrtPriceX96;
    const wanted = findNextTick(pool, tick, zeroForOne);
    const stop = Math.min(Math.max(wanted, -887272), 887272);
    const stopPrice = oraclePriceAt(stop);
    const isBeyond = zeroForOne ? stopPrice < limit : stopPrice > limit;
    const step = { current: start, target: isBeyond ? limit : stopPrice, liquidity };
    const done = computeStep(step, remaining, pool.feePips);
    sqrtPriceX96 = done.next;
    amountIn += done.amountIn + done.fee;
    amountOut += done.amountOut;
    remaining += specified > 0n ? -(done.amountIn + done.fee) : done.amountOut;
    if (sqrtPriceX96 === stopPrice) {
      const net = pool.nets.get(stop);
      if (net !== undefined) {
        liquidity += zeroForOne ? -net : net;
        crossed += 1;
      }
      tick = zeroForOne ? stop - 1 : stop;
    } else if (sqrtPriceX96 !== start) {
      tick = oracleTickAt(sqrtPriceX96);
    }
  }
  return { amountIn, amountOut, sqrtPriceX96, liquidity, tick, crossed };
}
