export { BridgeNetwork } from './bridge-network.ts';
