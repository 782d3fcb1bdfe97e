// Caches discovery on disk between runs of a program. Needs Node.
export {
  DiskCachedDiscovery,
  type DiskCachedDiscoveryOptions,
  discoveryCacheDirectory,
} from './disk-cached-discovery.ts';
