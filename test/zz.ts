import { findProfile } from './world/profiles.ts';
import { formatRow, planRow } from './world/table.ts';
import { runWorld } from './world/run-world.ts';
const p = findProfile(process.argv[2]!);
const r = await runWorld(planRow(p, process.argv[3] as never));
console.log(formatRow(p, process.argv[3]!, r), r);
