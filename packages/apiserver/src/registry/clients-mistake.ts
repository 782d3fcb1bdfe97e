import { ApiError } from '@coxswain/apimachinery';

/**
 * Returns an error with status 400 and no reason. Differs from upstream, where it is a 500: a mistake of the client is not a
 * failure of the server. Users see no difference, because clients print only message and reason.
 */
export const clientsMistake = (message: string, options?: ErrorOptions): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 400 }, options);
