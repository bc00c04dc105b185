// What limits each hot path now, in words: update it when you look at its profile.

export const LIMITS: Readonly<Record<string, string>> = {
  'Hot reads': `What is left is the kernel taking the bytes (\`writev\`) and node:http itself: parsing, timers,
streams and the heads of answers. The
limiter, cache look-up, metrics and router are a tenth of the time. More would need several processes.`,
  'Key check': `One look-up in a bounded map of credentials seen lately, then the same path as an anonymous read; the check itself is
7 % of the request. A key seen for the first time costs a hash and a read of the store.`,
  Search: `Writing twenty summaries is as much work as finding them. Finding walks the sorted words of the index; typing
errors are looked for only where exact words leave room in the page.`,
  'Block decoding and applying': `SQLite's own work for the rows of trades, candles and balances. It is bound by
the number of rows, which is why candles are kept at five intervals and merged into the others when read.`,
  'Quote and routing': `BigInt arithmetic of the swap steps and the short-lived numbers it leaves to the collector. Pools that
have not changed since the last quote keep their curves, which makes a second question several times cheaper.`,
  'Stream fan-out': `One system call a reader and block: events of one block go out as one buffer that all readers
share. Three quarters of the time are the kernel's; of the rest most is waiting for memory, since every reader's objects lie elsewhere.
Beyond that only fewer system calls (a process per core) would help.`,
};
