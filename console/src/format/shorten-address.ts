// Addresses and ids that fit into a column.

/** `0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7` → `0xA5A2…2aE7` */
export function shortenAddress(address: string): string {
  const head = address.startsWith('0x') ? 6 : 4;
  return address.length <= head + 6 ? address : `${address.slice(0, head)}…${address.slice(-4)}`;
}
