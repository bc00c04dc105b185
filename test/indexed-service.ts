// A service that follows a chain: waiting for its head, stopping it, verifying its index.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RunningService } from './start-service-process.ts';

const run = promisify(execFile);

/** A generous limit: a stuck service must fail, not hang the suite. */
const AT_HEAD_MAX_MS = 180_000;

/** Waits until the service has indexed the chain's newest block and says that it is ready. */
export async function untilAtHead(
  service: RunningService,
  chain: { readHead(): Promise<number> },
): Promise<void> {
  const deadlineMs = Date.now() + AT_HEAD_MAX_MS;
  for (;;) {
    const head = await chain.readHead();
    const answer = await (await fetch(`${service.origin}/v1/chains`)).json();
    const { chains } = answer as { chains: { head: number | null }[] };
    const ready = (await fetch(`${service.origin}/v1/ready`)).status === 200;
    if (chains?.[0]?.head === head && ready) return;
    if (Date.now() > deadlineMs) {
      throw new Error(`the service is not at block ${head}:\n${service.output().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function stopService(service: RunningService): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

/** Runs the operator's own command, which recomputes everything from the chain. */
export async function assertVerified(
  env: Readonly<Record<string, string>>,
  chain = 'devnet',
): Promise<string> {
  const args = ['src/cli/main.ts', 'verify', '--chain', chain];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  assert.match(stdout, /no differences/);
  // What was not compared proves nothing.
  for (const what of ['trade', 'candle', 'supply', 'balance of contract', 'pool of contract']) {
    assert.match(stdout, new RegExp(`^  ${what} +[1-9]`, 'm'));
  }
  assert.doesNotMatch(stdout, /without answer +[1-9]/);
  return stdout;
}
