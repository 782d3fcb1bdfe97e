import { type ApiError, fromStatus } from '@coxswain/apimachinery';

/** A 500 without a reason: what upstream answers where an error is no API error of its own. */
export const plainError = (message: string, options?: ErrorOptions): ApiError =>
  fromStatus({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 }, options);
