/** A real etcd for tests: `findProgram('etcd')` says whether there is one, `startEtcd` starts it. */
export { type EtcdServer, startEtcd, startEtcdCluster } from './etcd-server.ts';
export { findProgram } from './find-program.ts';
export { TcpProxy } from './tcp-proxy.ts';
