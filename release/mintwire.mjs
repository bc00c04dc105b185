#!/usr/bin/env node
// The command of the package. It says in any Node what the service needs of Node.

const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(`Mintwire needs Node 24 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
await import('../src/cli/main.js');
