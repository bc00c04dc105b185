// A whole address as people compare it: in groups of four.

/** `0xA5A2299587…` → `0x A5A2 2995 87…` */
export function groupAddress(address: string): string {
  const [, prefix = '', digits = ''] = /^(0x)?(.*)$/.exec(address) ?? [];
  const groups = digits.match(/.{1,4}/g) ?? [];
  return [...(prefix === '' ? [] : [prefix]), ...groups].join(' ');
}
