// What an archive may send that is not the chain, and how it may fail: one behaviour each.

import type { PortalLine } from '../archive-fixtures.ts';
import { recordChain } from './chain-scene.ts';
import type { PortalBehaviour } from './fake-portal.ts';
import { proveChain } from './proved-chain.ts';

/** Of the block that has the most logs of some request. */
function changeOne(change: (line: PortalLine, all: PortalLine[]) => void): PortalBehaviour {
  return {
    change: (sent) => {
      const line = sent.toSorted((a, b) => b.logs.length - a.logs.length)[0];
      // A request for a few quiet blocks is answered truly.
      if (line !== undefined && line.logs.length >= 2) change(line, sent);
      return sent;
    },
  };
}

const OTHER = proveChain(recordChain({ startMs: 1_600_000_000_000 })).lines;
const OTHER_HASH = OTHER[20]!.header.hash;

/** Each ends the use of the archive, whatever is sampled. */
export const LIES: Readonly<Record<string, PortalBehaviour>> = {
  'a digit of a log': changeOne(({ logs }) => {
    logs[0]!.data = `${logs[0]!.data.slice(0, -1)}${logs[0]!.data.endsWith('1') ? 2 : 1}`;
  }),
  'a log left out': changeOne(({ logs }) => logs.pop()),
  'a log added': changeOne(({ logs }) => logs.push({ ...logs.at(-1)!, logIndex: logs.length })),
  'a time': changeOne(({ header }) => {
    header['timestamp'] = Number(header['timestamp']) + 1;
  }),
  'two logs in another order': changeOne(({ logs }) => {
    [logs[0], logs[1]] = [
      { ...logs[1]!, logIndex: 0 },
      { ...logs[0]!, logIndex: 1 },
    ];
  }),
  'the hash of a block': changeOne(({ header }) => {
    header.hash = OTHER_HASH;
  }),
  'a block twice': changeOne((line, all) =>
    all.splice(all.indexOf(line), 0, structuredClone(line)),
  ),
  'a block left out': changeOne((line, all) => all.splice(all.indexOf(line), 1)),
  'another fork': {
    change: (sent) =>
      structuredClone(OTHER.slice(sent[0]!.header.number, sent.at(-1)!.header.number + 1)),
  },
  'impossible values': changeOne(({ header }) => {
    header['logsBloom'] = '0x12';
  }),
};

/** What no hash covers: found where blocks are compared with the node. */
export const UNPROVED_LIES: Readonly<Record<string, PortalBehaviour>> = {
  'a sender': changeOne(({ transactions }) => {
    transactions[0]!['from'] = `0x${'66'.repeat(20)}`;
  }),
  'the hash of a transaction': changeOne(({ transactions }) => {
    transactions[0]!.hash = OTHER_HASH;
  }),
};

/** The archive is paused: the next one goes on, in the end the node. */
export const FAULTS: Readonly<Record<string, PortalBehaviour>> = {
  'cut in the middle': { cutAt: 700 },
  'gzip that ends early': { endsAt: 900 },
  'nothing but 204': { status: 204 },
  'a refused column that is needed': {
    status: 400,
    body: "column 'hash' is not found in 'transactions'",
  },
  'a range it does not have': { status: 400, body: 'range is below start_block' },
  'another branch (409)': { status: 409, body: '{"previousBlocks":[]}' },
  'a limit (429)': { status: 429, headers: { 'retry-after': '7' } },
  'overload (529)': { status: 529, headers: { 'retry-after': '1' } },
  'no workers (503)': { status: 503 },
  'a fault of its own (500)': { status: 500 },
  'no access (403)': { status: 403 },
  'no such dataset (404)': { status: 404 },
  'no lines at all': { change: () => [] },
  'a head that is none': { headers: { 'x-sqd-head-number': '99999999' }, change: () => [] },
};
