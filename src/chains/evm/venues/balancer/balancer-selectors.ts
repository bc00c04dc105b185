// Functions of Balancer's vault, its weighted pools and their factories.

export const GET_POOL_ID_SELECTOR = '0x38fff2d0';
export const GET_POOL_TOKENS_SELECTOR = '0xf94d4668';
export const IS_POOL_FROM_FACTORY_SELECTOR = '0x6634b753';
export const GET_WEIGHTS_SELECTOR = '0xf89f27ed';
export const GET_SWAP_FEE_SELECTOR = '0x55c67628';
export const GET_PAUSED_STATE_SELECTOR = '0x1c0de051';
