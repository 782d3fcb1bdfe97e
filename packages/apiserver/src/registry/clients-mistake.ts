import { ApiError } from '@coxswain/apimachinery';

/**
 * A 400 without a reason. Differs from upstream, where it is a 500 without one: what a client did wrong is no failure of
 * the server. People see the same, for clients print the message and the reason.
 */
export const clientsMistake = (message: string, options?: ErrorOptions): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 400 }, options);
