import { messageOf } from '@coxswain/apimachinery/errors';

/** gRPC's status codes, with the names that Go prints. */
export const rpcCodes = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

export type RpcCode = keyof typeof rpcCodes;

const names = new Map<number, RpcCode>(Object.entries(rpcCodes).map(([name, code]) => [code, name as RpcCode]));

/** A failed call. The message has the format of Go's `status.Error`, because users see it in Events. */
export class RpcError extends Error {
  readonly code: RpcCode;
  /** The server's error message. */
  readonly details: string;

  constructor(code: RpcCode, details: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${details}`, options);
    this.name = 'RpcError';
    this.code = code;
    this.details = details;
  }
}

export const rpcCodeOf = (number: number): RpcCode => names.get(number) ?? 'Unknown';

export const hasRpcCode = (error: unknown, code: RpcCode): error is RpcError =>
  error instanceof RpcError && error.code === code;

/** Returns the error as an RpcError. Errors of other types get the code Unknown, as in Go. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError('Unknown', messageOf(error), { cause: error });
}
