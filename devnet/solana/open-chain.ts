// The chain of a folder: the virtual machine with the stand-ins, and what the ledger has.

import { EMBEDDED_GENESIS } from '../../src/model/chain.ts';
import { readProgram } from './build-programs.ts';
import { ChainLedger } from './chain-ledger.ts';
import { buildGenesisAccounts, type Genesis } from './genesis.ts';
import { CPMM, LAUNCHLAB, PUMP } from './instructions.ts';
import { SolanaChain } from './solana-chain.ts';
import { Svm } from './svm.ts';

export function openChain(options: {
  /** `:memory:` keeps nothing. */
  readonly file: string;
  readonly genesis: Genesis;
  readonly genesisSeconds: number;
  readonly blocksKept?: number;
}): SolanaChain {
  const svm = new Svm();
  svm.addProgram(CPMM, readProgram('cpmm'));
  svm.addProgram(PUMP, readProgram('pump'));
  svm.addProgram(LAUNCHLAB, readProgram('launchlab'));
  const accounts = buildGenesisAccounts(svm, options.genesis);
  return new SolanaChain({
    ...{ svm, ledger: new ChainLedger(options.file), genesisHash: EMBEDDED_GENESIS },
    genesis: { seconds: options.genesisSeconds, accounts },
    ...(options.blocksKept === undefined ? {} : { blocksKept: options.blocksKept }),
  });
}
