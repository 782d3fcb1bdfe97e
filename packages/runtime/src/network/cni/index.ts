export { CNINetwork } from './cni-network.ts';
export { DefaultNetwork } from './default-network.ts';
