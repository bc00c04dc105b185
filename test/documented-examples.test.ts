// What counts as an example, and when it differs from the real response.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compareForms, cutLike, findExamples } from '../docs/documented-examples.ts';
import { operations } from '../src/contract/operations.ts';
import { openQuote } from '../src/trading/quote/quote-seal.ts';

const PAGE = `# Page

\`\`\`sh
curl -s http://localhost:8080/v1/chains
\`\`\`
\`\`\`json
{ "chains": [] }
\`\`\`

\`\`\`sh
npx mintwire keys list
\`\`\`
\`\`\`json
{ "not": "an example" }
\`\`\`
`;

test('a curl to the local service right before JSON is an example', () => {
  const [example, ...more] = findExamples('page.md', PAGE);
  assert.equal(more.length, 0);
  assert.deepEqual([example?.place, example?.shown], ['page.md:3', { chains: [] }]);
  assert.equal(PAGE.slice(example?.start, example?.end), '{ "chains": [] }\n');
});

test('an answer that is not JSON is reported', () => {
  assert.throws(() => findExamples('page.md', PAGE.replace('[] }', '')), /page\.md:3/);
});

test('keys and types are compared; values and nullable fields are not', () => {
  assert.deepEqual(compareForms({ a: 1, b: null }, { a: 2, b: 'x' }), []);
  assert.deepEqual(compareForms({ a: 1 }, { a: '1' }), [
    '$.a is documented as number but is string',
  ]);
  assert.deepEqual(compareForms({ a: 1, b: 2 }, { a: 1, c: 3 }), [
    '$.b is documented but missing',
    '$.c is present but not documented',
  ]);
});

test('a list may be shortened, but not shown if it is empty', () => {
  assert.deepEqual(compareForms([{ a: 1 }], [{ b: 1 }, { a: 2 }]), []);
  assert.deepEqual(compareForms([], [1, 2]), []);
  assert.deepEqual(compareForms([1], []), ['$ is documented with entries but is empty']);
  assert.deepEqual(compareForms([{ a: 1 }], [{ a: 'x' }]), [
    '$[0].a is documented as number but is string',
  ]);
});

test('real answers are cut like those that were shown, without secrets and ports', () => {
  const real = { list: [1, 2, 3], key: `mw_live_${'x'.repeat(40)}`, url: 'http://127.0.0.1:40001' };
  assert.deepEqual(cutLike({ list: [0] }, real), {
    list: [1],
    key: 'mw_live_…',
    url: 'http://127.0.0.1:8545',
  });
});

test('the README lists every route', () => {
  const page = readFileSync('README.md', 'utf8');
  const [table = ''] = /^All routes.*\n\n(?:\|.*\n)+/m.exec(page) ?? [];
  const listed = [...table.matchAll(/`(\/[\w./{}]+)`/g)].map(([, path]) => path);
  const paths = new Set<string | undefined>(operations.map(({ path }) => path));
  assert.deepEqual(listed.filter((path) => path !== '/v1').sort(), [...paths].sort());
});

test('every quote id that is shown has the terms that quote ids have today', () => {
  const sources = globSync(['README.md', 'docs/**/*.md', 'src/contract/operations/*.ts']);
  const shown = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/mwq_[\w-]+\.[\w-]+/g)].map(([quoteId]) => ({
      file,
      quoteId,
    })),
  );
  assert.ok(shown.length >= 3, `${shown.length}`);
  // The secret of its seal does not matter.
  const anyMark = { mark: () => '', isMark: () => true };
  for (const { file, quoteId } of shown) {
    assert.doesNotThrow(() => openQuote(anyMark, quoteId), `${file}: run npm run examples`);
  }
});
