// The RPC calls of the service, collected over the whole suite, by test file.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isReadMethod } from '../src/chains/evm/rpc/rpc-method.ts';
import { isSolanaRead } from '../src/chains/solana/rpc/solana-dialect.ts';

/** Anything that signs, sends, unlocks or controls a node, by name. */
const FORBIDDEN =
  /send|sign|account|unlock|^(?:anvil|hardhat|evm|debug|admin|miner|engine|personal|wallet|txpool)_(?!traceCall$)/i;

/** The setting that lets a service start its own chain. */
const EMBEDDED = /\bDEVNET: ?'auto'/;

export type MethodCounts = ReadonlyMap<string, number>;

/** Methods that can do more than read. */
export function findForbidden(counts: MethodCounts): string[] {
  const isRead = (method: string) =>
    isSolanaRead(method)
      ? method.startsWith('get') || method === 'simulateTransaction'
      : isReadMethod(method) && !FORBIDDEN.test(method);
  return [...counts.keys()].filter((method) => !isRead(method));
}

/** The methods of a request's body, a single call or a batch; anything else is recorded as such. */
export function listMethods(body: string): string[] {
  try {
    const parsed = JSON.parse(body) as { method?: unknown } | { method?: unknown }[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    return calls.map(({ method }) => (typeof method === 'string' ? method : 'no method'));
  } catch {
    return ['no JSON'];
  }
}

/** Written at once and by every thread separately, so that a kill loses nothing. */
export function noteMethods(
  where: { readonly folder: string; readonly testFile: string },
  methods: readonly string[],
): void {
  const name = `${encodeURIComponent(where.testFile)}.${process.pid}`;
  appendFileSync(join(where.folder, name), methods.map((method) => `${method}\n`).join(''));
}

/** By test file. */
export function readNotes(folder: string): Map<string, MethodCounts> {
  const notes = new Map<string, Map<string, number>>();
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const testFile = decodeURIComponent(name.replace(/\.\d+$/, ''));
    const counts = notes.get(testFile) ?? new Map<string, number>();
    notes.set(testFile, counts);
    for (const method of readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')) {
      counts.set(method, (counts.get(method) ?? 0) + 1);
    }
  }
  return notes;
}

export function sumCounts(all: Iterable<MethodCounts>): MethodCounts {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [method, count] of counts) sums.set(method, (sums.get(method) ?? 0) + count);
  }
  return sums;
}

/** A file with everything that it imports, except the service's own source. */
function* walkImports(file: string, seen: Set<string>): Generator<string> {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  yield text;
  for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) {
    const next = relative('.', resolve(dirname(file), path));
    if (!next.startsWith('src/') && existsSync(next)) yield* walkImports(next, seen);
  }
}

/** The test files in which the service meets a real node: each must have recorded a call. */
export function findScenes(files: readonly string[]): string[] {
  return files.filter((file) => {
    // The devnet's own tests have no service.
    if (file.startsWith('devnet/') || file.startsWith('bench/')) return false;
    const seen = new Set<string>();
    const isEmbedded = [...walkImports(file, seen)].some((text) => EMBEDDED.test(text));
    return isEmbedded || seen.has('devnet/test-chain.ts');
  });
}
