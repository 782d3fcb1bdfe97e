export {
  defaultBackoff,
  defaultRetry,
  type RetryOptions,
  retryOnConflict,
  retryOnError,
} from './retry-on-conflict.ts';
