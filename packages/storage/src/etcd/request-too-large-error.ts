/**
 * A write is larger than etcd's limit, which is 1.5 MiB unless configured otherwise. A retry does not help. The message
 * is etcd's own, which the API server upstream returns with code 500.
 */
export class RequestTooLargeError extends Error {
  override readonly name = 'RequestTooLargeError';

  constructor(options?: ErrorOptions) {
    super('etcdserver: request is too large', options);
  }
}
