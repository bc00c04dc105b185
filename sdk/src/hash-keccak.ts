// Keccak-256, which gives a signed transaction its hash before it is sent.

const MASK = (1n << 64n) - 1n;
const RATE_BYTES = 136;

const rotate = (lane: bigint, bits: number) =>
  ((lane << BigInt(bits)) | (lane >> BigInt(64 - bits))) & MASK;

/** The constants of the rounds, from the shift register that defines them. */
function listRoundConstants(): bigint[] {
  const constants: bigint[] = [];
  let register = 1;
  for (let round = 0; round < 24; round += 1) {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << ((1n << BigInt(bit)) - 1n);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    constants.push(constant);
  }
  return constants;
}

function permute(lanes: bigint[]): void {
  const at = (index: number) => lanes[index] ?? 0n;
  for (const constant of listRoundConstants()) {
    // Theta.
    const columns = [0, 1, 2, 3, 4].map(
      (x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20),
    );
    for (let index = 0; index < 25; index += 1) {
      const x = index % 5;
      lanes[index] =
        at(index) ^ (columns[(x + 4) % 5] ?? 0n) ^ rotate(columns[(x + 1) % 5] ?? 0n, 1);
    }
    // Rho and pi.
    let [x, y, carried] = [1, 0, at(1)];
    for (let step = 0; step < 24; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = at(x + 5 * y);
      lanes[x + 5 * y] = rotate(carried, (((step + 1) * (step + 2)) / 2) % 64);
      carried = next;
    }
    // Chi.
    for (let row = 0; row < 25; row += 5) {
      const old = lanes.slice(row, row + 5);
      for (let column = 0; column < 5; column += 1) {
        const [one, two] = [old[(column + 1) % 5] ?? 0n, old[(column + 2) % 5] ?? 0n];
        lanes[row + column] = (old[column] ?? 0n) ^ (~one & MASK & two);
      }
    }
    // Iota.
    lanes[0] = at(0) ^ constant;
  }
}

/** Of bytes in hex, as hex; both with `0x`. */
export function hashKeccak(hex: string): string {
  const bytes = (hex.slice(2).match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  const padded = new Uint8Array((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 1;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;
  const view = new DataView(padded.buffer);
  const lanes = Array<bigint>(25).fill(0n);
  for (let offset = 0; offset < padded.length; offset += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) {
      lanes[lane] = (lanes[lane] ?? 0n) ^ view.getBigUint64(offset + lane * 8, true);
    }
    permute(lanes);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) digest.setBigUint64(lane * 8, lanes[lane] ?? 0n, true);
  const out = Array.from(new Uint8Array(digest.buffer), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return `0x${out.join('')}`;
}
