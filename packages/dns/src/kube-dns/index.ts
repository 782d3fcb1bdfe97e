/** The Service `kube-dns`, which all pods ask. */
export { defaultCorefile } from './default-corefile.ts';
export { KubeDnsService, type KubeDnsServiceOptions } from './kube-dns-service.ts';
