export { BridgeNetwork } from './bridge-network.ts';
export { enableForwarding } from './forwarding.ts';
