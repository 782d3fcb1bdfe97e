export { LruCache } from './lru-cache.ts';
export { LruExpireCache } from './lru-expire-cache.ts';
