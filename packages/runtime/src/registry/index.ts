/** Registries: where they are, who may pull, and the requests of the OCI distribution protocol. Nothing is stored. */
export type { RegistryAuth } from './credentials.ts';
export { HttpClient } from './http-client.ts';
export { RegistryError, type RegistryErrorReason } from './registry-error.ts';
export { type RegistryHostsOptions, registryHosts } from './registry-hosts.ts';
export { isDigest, Repository } from './repository.ts';
