// Contracts that hold the shares of pairs for others until a time. Each address stands in at least
// two sources: UNCX's repositories and interface, and tokens and tools that list lockers.

import type { ChainSlug } from '../../../model/chain.ts';
import type { LiquidityLocker } from '../../../model/liquidity-owners.ts';
import { evmAddress } from '../data/evm-ids.ts';

export interface EvmLocker extends LiquidityLocker {
  /** By which of its calls it tells each lock and its end; null if by none that is known here. */
  readonly tells: 'uncx' | 'pink' | null;
}

function uncx(address: string, tells: EvmLocker['tells'] = 'uncx'): EvmLocker {
  return { name: 'UNCX', address: evmAddress(address), tells };
}

function teamFinance(address: string): EvmLocker {
  return { name: 'Team Finance', address: evmAddress(address), tells: null };
}

function pinkLock(address: string): EvmLocker {
  return { name: 'PinkLock', address: evmAddress(address), tells: 'pink' };
}

export const LOCKERS: Readonly<Partial<Record<ChainSlug, readonly EvmLocker[]>>> = {
  ethereum: [
    uncx('0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214'),
    uncx('0xed9180976c2a4742c7a57354fd39d8bec6cbd8ab'),
    // Its version 2.1 tells its locks in another form.
    uncx('0x59d7d55ddc58494fbbbca29904f108ece82ac7fb', null),
    teamFinance('0xe2fe530c047f2d85298b07d9333c05737f1435fb'),
    pinkLock('0x71b5759d73262fbb223956913ecf4ecc51057641'),
  ],
  bsc: [
    uncx('0xc765bddb93b0d1c1a88282ba0fa6b2d00e3e0c83'),
    uncx('0x7229247bd5cf29fa9b0764aa1568732be024084b'),
    teamFinance('0x0c89c0407775dd89b12918b9c0aa42bf96518820'),
    pinkLock('0x407993575c91ce7643a4d4ccacc9a98c36ee1bbe'),
    pinkLock('0x7ee058420e5937496f5a2096f04caa7721cf70cc'),
  ],
  base: [
    uncx('0xc4e637d37113192f4f1f060daebd7758de7f4131'),
    uncx('0xbeddf48499788607b4c2e704e9099561ab38aae8'),
    teamFinance('0x4f0fd563be89ec8c3e7d595bf3639128c0a7c33a'),
  ],
  arbitrum: [
    uncx('0x63f4b2c082b1e0bba38874567e053800379bf8d7'),
    uncx('0x275720567e5955f5f2d53a7a1ab8a0fc643de50e'),
    pinkLock('0xebb415084ce323338cfd3174162964cc23753dfd'),
  ],
  optimism: [uncx('0x5923c3911d9424f7725cad33ed176a6b885484d6', null)],
  polygon: [
    uncx('0xadb2437e6f65682b85f814fbc12fec0508a7b1d0'),
    uncx('0x939d71ade0bf94d3f8cf578413bf2a2f248bf58b'),
    teamFinance('0x3ef7442df454ba6b7c1deec8ddf29cfb2d6e56c7'),
  ],
};
