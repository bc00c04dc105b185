// The seed of a run of the tests: of what is random in them and has no seed of its own. `npm test`
// prints it; with MINTWIRE_TEST_SEED the same values are drawn again.

const NAME = 'MINTWIRE_TEST_SEED';
const SEED_LIMIT = 2 ** 31;

function readSeed(): number {
  const text = process.env[NAME] ?? String(Math.floor(Math.random() * SEED_LIMIT));
  const seed = Number(text);
  const isSeed = Number.isInteger(seed) && seed >= 0 && seed < SEED_LIMIT;
  if (text === '' || !isSeed) throw new Error(`${NAME} must be a whole number below 2^31`);
  // For the processes of the test files.
  process.env[NAME] = text;
  return seed;
}

export const RUN_SEED = readSeed();

export function describeSeed(): string {
  return `seed ${RUN_SEED}: ${NAME}=${RUN_SEED} repeats what was random`;
}

// A file that is run alone tells it if it fails; `npm test` tells it in any case.
process.on('exit', (code) => {
  if (code !== 0) console.error(describeSeed());
});
