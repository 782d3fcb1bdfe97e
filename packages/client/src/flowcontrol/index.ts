export { Backoff, type BackoffOptions } from './backoff.ts';
export type { RateLimiter } from './rate-limiter.ts';
export { type TokenBucketOptions, TokenBucketRateLimiter } from './token-bucket-rate-limiter.ts';
