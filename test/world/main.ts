// `npm run world`: one world by hand, of any length.

import { parseArgs } from 'node:util';
import { findProfile } from './profiles.ts';
import { CHAIN_NAMES, runWorld, SCOPE_NAMES } from './run-world.ts';

function pick<T extends string>(names: readonly T[], text: string): T {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${text} is none of ${names.join(', ')}`);
  return found;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    profile: { type: 'string', default: 'own-near' },
    chain: { type: 'string', default: 'rollup' },
    scope: { type: 'string', default: 'all' },
    hours: { type: 'string', default: '1' },
  },
});
const startedAtMs = performance.now();
const report = await runWorld({
  seed: Number(values.seed),
  chain: pick(CHAIN_NAMES, values.chain),
  scope: pick(SCOPE_NAMES, values.scope),
  profiles: values.profile.split(',').map(findProfile),
  hours: Number(values.hours),
});
console.log(report);
console.log(`${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
process.exitCode = report.faults.length > 0 ? 1 : 0;
