// Orders items so that callers take turns: the first item of each, then the second of each.

/** The items of one caller stay in their order. */
export function orderInTurns<Item>(
  items: readonly Item[],
  findCaller: (item: Item) => string,
): Item[] {
  const counts = new Map<string, number>();
  const placed = items.map((item) => {
    const caller = findCaller(item);
    const place = counts.get(caller) ?? 0;
    counts.set(caller, place + 1);
    return { item, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
