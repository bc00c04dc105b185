// The topics of swaps that exchanges on EVM chains log, known or not to a chain's venues. What no
// venue claims is counted, so that an operator sees what the index lacks.

export const SWAP_TOPICS: ReadonlyMap<string, string> = new Map([
  ['0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822', 'V2-like'],
  ['0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b', 'Solidly V2'],
  ['0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67', 'V3-like'],
  ['0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83', 'PancakeSwap V3'],
  ['0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79', 'Algebra Integral'],
  ['0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f', 'Uniswap V4'],
  ['0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140', 'Curve stable'],
  ['0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b', 'Curve underlying'],
  ['0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98', 'Curve crypto'],
  ['0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c', 'Curve crypto NG'],
  ['0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b', 'Balancer V2'],
  ['0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db', 'Balancer V3'],
  ['0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237', 'Pancake Infinity'],
  ['0x3e8aae37f890eb1f9d63dd4d2062f3f0be757848a0f0760e4f3e53dad556e861', 'Infinity bins'],
  ['0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f', 'DODO V2'],
  ['0x103ed084e94a44c8f5f6ba8e3011507c41063177e29949083c439777d8d63f60', 'Maverick V2'],
]);
