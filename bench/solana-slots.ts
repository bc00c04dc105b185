// The chain of the benchmark of Solana's blocks.

export const BENCH_GENESIS = 'BenchGenesis1111111111111111111111111111111';

export const BENCH_SLOTS = { first: 1000, last: 1012 } as const;
