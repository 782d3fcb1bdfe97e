import { type ApiError, fromStatus } from '@coxswain/apimachinery';

/** Returns an error with status 500 and no reason, which is upstream's response for errors that are no API errors. */
export const plainError = (message: string, options?: ErrorOptions): ApiError =>
  fromStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 }, options);
