// Reduces a request that shows a fault to the smallest one that still shows it.

import type { FuzzRequest } from './send-request.ts';

const TRIES_MAX = 60;

function without<T>(items: readonly T[], index: number): T[] {
  return items.filter((_, one) => one !== index);
}

function* dropHeaders(request: FuzzRequest): Generator<FuzzRequest> {
  for (const index of request.headers.keys()) {
    yield { ...request, headers: without(request.headers, index) };
  }
}

function* dropQuery(request: FuzzRequest): Generator<FuzzRequest> {
  const [path = '', query] = request.target.split('?', 2);
  if (query === undefined) return;
  const pairs = query.split('&');
  for (const index of pairs.keys()) {
    const left = without(pairs, index).join('&');
    yield { ...request, target: left === '' ? path : `${path}?${left}` };
  }
}

function* dropFields(request: FuzzRequest): Generator<FuzzRequest> {
  let value: unknown;
  try {
    value = JSON.parse(request.body?.toString('utf8') ?? '');
  } catch {
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries = Object.entries(value);
  for (const index of entries.keys()) {
    const body = Buffer.from(JSON.stringify(Object.fromEntries(without(entries, index))));
    yield { ...request, body };
  }
}

function* listSmaller(request: FuzzRequest): Generator<FuzzRequest> {
  yield* dropHeaders(request);
  yield* dropQuery(request);
  yield* dropFields(request);
}

export async function shrinkRequest(
  request: FuzzRequest,
  showsFault: (smaller: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let smallest = request;
  let triesLeft = TRIES_MAX;
  for (let isSmaller = true; isSmaller && triesLeft > 0; ) {
    isSmaller = false;
    for (const candidate of listSmaller(smallest)) {
      triesLeft -= 1;
      if (triesLeft <= 0) break;
      if (!(await showsFault(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}
