// What limits each hot path now, in words: written by whoever last looked at its profile.

export const LIMITS: Readonly<Record<string, string>> = {
  'Hot reads': `What is left is the kernel taking the bytes (\`writev\`) and node:http itself: parsing, header
checks, timers. Ours (router, limiter, log line, metrics, cache look-up) is a fifth of the time, spread so that no
function has 2 %. More would need another HTTP server (docs/decisions/0001-no-web-framework.md) or several processes.`,
  'Key check': `One look-up in a bounded map of credentials seen lately, then the same path as an anonymous read; the check itself is
7 % of the request. A key seen for the first time costs a hash and a read of the store.`,
  Search: `Writing twenty summaries is as much work as finding them. Finding walks the sorted words of the index; typing
errors are looked for only where exact words leave room in the page.`,
  'Block decoding and applying': `SQLite's own work for the rows of trades, candles and balances. It is bound by
the number of rows, which is why candles are kept at five intervals and merged into the others when read.`,
  'Quote and routing': `BigInt arithmetic of the swap steps and the short-lived numbers it leaves to the collector. Pools that
have not changed since the last quote keep their curves, which makes a second question several times cheaper.`,
  'Stream fan-out': `One system call a reader and block: events of one block go out as one buffer that all readers
share. Beyond that only fewer system calls (a process per core) would help.`,
};
