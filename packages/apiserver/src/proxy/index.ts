/**
 * Proxied requests: to kubelets (`pods/log`, `exec`, `attach`, `portforward`, `nodes/proxy`), and to pods (`pods/proxy`,
 * `services/proxy`). `KubeletConnection` and `proxy-location.ts` find the target. A `Dialer` connects to it: over sockets, or by
 * function calls to kubelets in this process.
 *
 * Where to start: `connect-subresource.ts`.
 */
export { connectSubresources } from './connect-subresource.ts';
export {
  DialError,
  type Dialer,
  type DialRequest,
  type DialResponse,
  type DialTarget,
  withLocalKubelets,
  withoutNobody,
} from './dialer.ts';
export { KubeletConnection } from './kubelet-connection.ts';
export { lookupAddresses } from './lookup-addresses.ts';
export { ownAddresses } from './own-addresses.ts';
export { probeHealth } from './probe-health.ts';
export type { ProxyDependencies } from './proxy-dependencies.ts';
export { SocketDialer } from './socket-dialer.ts';
