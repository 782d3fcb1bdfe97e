export { CNINetwork } from './cni-network.ts';
export { DefaultNetwork } from './default-network.ts';
export { removePortMapRules } from './port-map-rules.ts';
