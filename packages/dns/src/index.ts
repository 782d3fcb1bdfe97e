/**
 * `@coxswain/dns`: the DNS server of a cluster. Names of Services, endpoints and pods by the Kubernetes DNS specification 1.1, everything else from other servers,
 * with a cache. It is configured by CoreDNS' Corefile, and answers like CoreDNS.
 *
 * It accesses the cluster only through `@coxswain/client`. It is no general name server: zone files, DNSSEC signing, zone transfers and encrypted listeners are not
 * implemented, and a Corefile that asks for them is refused.
 *
 * Where to start: `dns-server.ts` connects all parts; `server/query-server.ts` shows the way of a packet; `plugins/` has a file or folder for each plug-in.
 */
export { DnsServer, type DnsServerOptions } from './dns-server.ts';
export type { Listen, Wanted } from './listeners/index.ts';
export * from './kube-dns/index.ts';
export { DnsMetrics } from './metrics/index.ts';
export * from './program/index.ts';
export * from './sources/index.ts';
