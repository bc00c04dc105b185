// The V4 contracts that the operator's file and the devnet's name, and what those must answer.

import { evmAddress } from '../../data/evm-ids.ts';
import { encodeCallData, hasWords, uintAt } from '../../data/hex-data.ts';
import { claim, type FileEntries, judgeAddress } from '../file-entries.ts';
import type { ReadDevnet } from '../venue-table.ts';
import type { V4Deployment } from './v4-contracts.ts';
import { GET_SLOT0_SELECTOR } from './v4-storage.ts';

export const POOL_MANAGER_SELECTOR = '0xdc4c90d3';

const PERIPHERY = ['positionManager', 'stateView', 'quoter'] as const;

export const V4_ENTRIES: FileEntries = {
  addContracts(entries, known) {
    const entry = entries.find((one) => one.kind === 'v4');
    if (entry === undefined) return { v4: known.v4 ?? null };
    const v4: V4Deployment = {
      venue: entry.venue,
      poolManager: evmAddress(entry.poolManager),
      positionManager: evmAddress(entry.positionManager),
      stateView: evmAddress(entry.stateView),
      quoter: evmAddress(entry.quoter),
    };
    return { v4 };
  },
  listClaims(entry, { path }) {
    if (entry.kind !== 'v4') return [];
    return [
      claim(`${path}.poolManager`, entry.poolManager),
      ...PERIPHERY.map((part) =>
        claim(`${path}.${part}`, entry[part], [POOL_MANAGER_SELECTOR], ([manager]) =>
          judgeAddress(manager, 'pool manager', entry.poolManager),
        ),
      ),
    ];
  },
  /** Its id does not tell its tokens: only that there is such a pool can be checked. */
  claimAnchor(id, path, { v4 }) {
    if (v4 === null) return null;
    const ask = encodeCallData(GET_SLOT0_SELECTOR, id.slice(2));
    return claim(path, v4.stateView, [ask], ([slot]) => {
      const isThere = slot != null && hasWords(slot, 4) && uintAt(slot, 0) > 0n;
      return isThere ? null : `knows no pool ${id}`;
    });
  },
};

export const readDevnetV4: ReadDevnet = ({ contracts }) => ({
  v4: {
    venue: 'uniswap-v4',
    poolManager: contracts.find('v4PoolManager'),
    positionManager: contracts.find('v4PositionManager'),
    stateView: contracts.find('v4StateView'),
    quoter: contracts.find('v4Quoter'),
  },
});
