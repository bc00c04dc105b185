// Functions of Curve's registries, factories and StableSwap NG pools.

export const GET_COINS_SELECTOR = '0x9ac90d3d';
export const GET_UNDERLYING_COINS_SELECTOR = '0xa77576ef';
export const IS_META_SELECTOR = '0xe4d332a9';
export const ASSET_TYPES_SELECTOR = '0xa80f2464';

export const BALANCES_SELECTOR = '0x4903b0d1';
export const STORED_RATES_SELECTOR = '0xfd0684b1';
export const AMP_SELECTOR = '0x76a2f0f0';
export const FUTURE_AMP_SELECTOR = '0xb4b577ad';
export const OFFPEG_SELECTOR = '0x8edfdd5f';
