import type { Counter, Histogram, Metrics } from '../observe/metrics.ts';

const durations = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizes = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** Metrics of requests, with client-go's names. */
export interface RestMetrics {
  /** Attempts by code (`<error>` without a response), method and host. */
  readonly requests: Counter;
  /** Attempts after the first, by code, verb and host. */
  readonly retries: Counter;
  /** Whole calls by verb and host. */
  readonly duration: Histogram;
  readonly rateLimiterDuration: Histogram;
  readonly requestSize: Histogram;
  readonly responseSize: Histogram;
}

export function restMetrics(metrics: Metrics): RestMetrics {
  const byVerb = (name: string, help: string, buckets: readonly number[]): Histogram =>
    metrics.histogram({ name: `rest_client_${name}`, help, labels: ['verb', 'host'], buckets });
  return {
    requests: metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      labels: ['code', 'method', 'host'],
    }),
    retries: metrics.counter({
      name: 'rest_client_request_retries_total',
      help: 'Number of request retries, partitioned by status code, verb, and host.',
      labels: ['code', 'verb', 'host'],
    }),
    duration: byVerb('request_duration_seconds', 'Request latency in seconds, by verb and host.', durations),
    rateLimiterDuration: byVerb(
      'rate_limiter_duration_seconds',
      'Client side rate limiter latency in seconds, by verb and host.',
      durations,
    ),
    requestSize: byVerb('request_size_bytes', 'Request size in bytes, by verb and host.', sizes),
    responseSize: byVerb('response_size_bytes', 'Response size in bytes, by verb and host.', sizes),
  };
}
