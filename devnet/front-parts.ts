// For tests: what the RPC server works with, over a node that is never replaced.

import { ChangeGate } from './change-gate.ts';
import { NodeMemory } from './node-memory.ts';
import type { FrontParts } from './plan-call.ts';

export function createFrontParts(
  parts: Pick<FrontParts, 'rpc' | 'archive' | 'keeper' | 'clock'>,
): FrontParts {
  const rest = async () => undefined;
  const roller = { past: null, afterBlocks: rest, beforeRollback: rest, forgetPast: rest };
  return { ...parts, gate: new ChangeGate(), memory: new NodeMemory(), roller };
}
