// `npm run check`: types, lint and format, house rules, the OpenAPI document, generated files.

import { spawnSync } from 'node:child_process';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { createCompatShapes } from '../src/compat/compat-shapes.ts';
import { buildOpenapi } from '../src/contract/openapi.ts';
import { operations } from '../src/contract/operations.ts';
import { systemClock } from '../src/lib/clock.ts';

interface Step {
  readonly name: string;
  run(): boolean | Promise<boolean>;
}

function command(name: string, line: readonly [string, ...string[]]): Step {
  const [program, ...args] = line;
  return { name, run: () => spawnSync(program, args, { stdio: 'inherit' }).status === 0 };
}

async function lintOpenapi(): Promise<boolean> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Ours have no parameters in their paths; those of other APIs are as those have them.
    rules: { 'no-unused-components': 'error', 'no-ambiguous-paths': 'off' },
  });
  const compat = createCompatShapes({
    ...{ listChains: () => [], readOrigin: () => '', clock: systemClock },
  });
  const source = JSON.stringify(buildOpenapi(operations, { version: '0.0.0', compat }));
  const problems = await lintFromString({ source, config });
  for (const problem of problems) {
    console.error(`${problem.ruleId}: ${problem.message} ${problem.location[0]?.pointer ?? ''}`);
  }
  return problems.length === 0;
}

const steps: readonly Step[] = [
  command('types', ['tsc', '-p', '.']),
  command('types of the console', ['tsc', '-p', 'console']),
  command('types of its tests', ['tsc', '-p', 'test/console']),
  command('types of the SDK', ['tsc', '-p', 'sdk', '--noEmit']),
  command('lint and format', ['biome', 'ci', '--error-on-warnings', '.']),
  command('house rules', ['node', '--test', 'test/tidy.test.ts', 'test/tidy-imports.test.ts']),
  { name: 'OpenAPI', run: lintOpenapi },
  command('generated files', ['node', 'docs/generate.ts', '--check']),
];

let failed = 0;
for (const step of steps) {
  const startedMs = performance.now();
  const ok = await step.run();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
  if (!ok) failed += 1;
}
console.log(`\ncheck: ${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
