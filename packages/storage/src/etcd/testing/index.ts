/** A real etcd for tests: `findProgram('etcd')` returns its path if it is installed, `startEtcd` starts it. */
export { type EtcdServer, startEtcd, startEtcdCluster } from './etcd-server.ts';
export { findProgram } from './find-program.ts';
export { TcpProxy } from './tcp-proxy.ts';
