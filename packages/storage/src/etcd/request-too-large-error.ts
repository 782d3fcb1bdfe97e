/**
 * What was to be written is larger than etcd takes, 1.5 MiB unless it is told otherwise. Trying again does not help.
 * The message is etcd's own, which is what the API server upstream answers with code 500.
 */
export class RequestTooLargeError extends Error {
  override readonly name = 'RequestTooLargeError';

  constructor(options?: ErrorOptions) {
    super('etcdserver: request is too large', options);
  }
}
