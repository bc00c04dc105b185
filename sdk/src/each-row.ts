// Whole lists, page by page: the rows of operations with a cursor, and candles by their time.

import type { Kline } from './contract.gen.ts';
import type {
  CallOptions,
  MintwireClient,
  OperationInput,
  OperationName,
  OperationOutput,
} from './create-client.ts';

/** Operations whose answer says where the next page begins. */
export type PagedOperation = {
  [Name in OperationName]: OperationOutput<Name> extends { nextCursor: string | null }
    ? Name
    : never;
}[OperationName];

type ListFields<Output> = {
  [Field in keyof Output]: Output[Field] extends readonly unknown[] ? Field : never;
}[keyof Output];

/** A row of an operation's list: a `Trade` of `getTrades`. */
export type PageRow<Name extends PagedOperation> = OperationOutput<Name>[ListFields<
  OperationOutput<Name>
>] extends readonly (infer Row)[]
  ? Row
  : never;

type AnyPage = { readonly nextCursor: string | null };
type AnyCall = (input: object, options?: CallOptions) => Promise<AnyPage>;

/** Pages as the API answers them, from the input's `cursor` to the last one. */
export async function* eachPage<Name extends PagedOperation>(
  client: MintwireClient,
  name: Name,
  input: OperationInput<Name>,
  options?: CallOptions,
): AsyncGenerator<OperationOutput<Name>, void, undefined> {
  const call = client[name] as unknown as AnyCall;
  let cursor: string | null | undefined;
  do {
    const page = await call(cursor === undefined ? input : { ...input, cursor }, options);
    yield page as OperationOutput<Name>;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Each row of those pages: `for await (const trade of eachRow(client, 'getTrades', …))`. */
export async function* eachRow<Name extends PagedOperation>(
  client: MintwireClient,
  name: Name,
  input: OperationInput<Name>,
  options?: CallOptions,
): AsyncGenerator<PageRow<Name>, void, undefined> {
  for await (const page of eachPage(client, name, input, options)) {
    // A page has one list of rows.
    const rows = Object.values(page as object).find((value) => Array.isArray(value));
    yield* (rows ?? []) as PageRow<Name>[];
  }
}

/** The API's default, which every caller may ask for. */
const KLINES_PER_PAGE = 500;

/** Every candle from `startTime` to `endTime` or now, the oldest first; `limit` is per request. */
export async function* eachKline(
  client: MintwireClient,
  input: OperationInput<'getKlines'> & { readonly startTime: number },
  options?: CallOptions,
): AsyncGenerator<Kline, void, undefined> {
  const limit = input.limit ?? KLINES_PER_PAGE;
  let { startTime } = input;
  for (;;) {
    // Without an end: with both times the newest come first.
    const { endTime, ...rest } = input;
    const { klines } = await client.getKlines({ ...rest, startTime, limit }, options);
    for (const kline of klines) {
      if (endTime !== undefined && kline.openTime > endTime) return;
      yield kline;
    }
    const last = klines.at(-1);
    if (last === undefined || klines.length < limit) return;
    startTime = last.closeTime + 1;
  }
}
