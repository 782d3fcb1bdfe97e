import {
  ApiError,
  type GroupResource,
  newBadRequest,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
} from '@coxswain/apimachinery';
import {
  CompactedError,
  StoreClosedError,
  StoreFullError,
  StoreUnavailableError,
  TooLargeRevisionError,
} from '@coxswain/storage';

/** Translates errors of the store to ApiErrors. Returns other errors unchanged. */
export function fromStoreError(error: unknown, resource: GroupResource, operation: string): unknown {
  if (error instanceof TooLargeRevisionError) return tooLarge(error);
  if (error instanceof CompactedError) {
    return newResourceExpired(`too old resource version: ${error.revision} (${error.compactedRevision})`, {
      cause: error,
    });
  }
  if (error instanceof StoreFullError) return full(error);
  if (error instanceof StoreUnavailableError) return newServerTimeout(resource, operation, 2, { cause: error });
  if (error instanceof StoreClosedError) return newServiceUnavailable('apiserver is shutting down', { cause: error });
  return error;
}

/** Upstream's response for a full etcd: a 500 without a reason, which clients do not retry. */
const full = (error: StoreFullError): ApiError =>
  new ApiError(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: error.message, code: 500 },
    { cause: error },
  );

const tooLarge = ({ revision, currentRevision }: TooLargeRevisionError): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Timeout: Too large resource version: ${revision}, current: ${currentRevision}`,
    reason: 'Timeout',
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    code: 504,
  });

/** Parses a resource version. Throws BadRequest. Differs from upstream, which returns a 500 for some requests. */
export function parseResourceVersion(text: string, what = 'resourceVersion: Invalid value'): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  const problem = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw newBadRequest(`${what && `${what}: ${quoted}: `}strconv.ParseUint: parsing ${quoted}: ${problem}`);
}
