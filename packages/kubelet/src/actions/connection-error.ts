import { hostPort } from './host-port.ts';

/** A connection that could not be made or that broke. The message is the one that Go's net package has for it. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

/** Go's texts for error numbers of the operating system, by Node's name of the number. */
const errorTexts: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRINUSE', 'address already in use'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['ECONNABORTED', 'software caused connection abort'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset by peer'],
  ['EHOSTDOWN', 'host is down'],
  ['EHOSTUNREACH', 'no route to host'],
  ['EINVAL', 'invalid argument'],
  ['EMFILE', 'too many open files'],
  ['ENETDOWN', 'network is down'],
  ['ENETUNREACH', 'network is unreachable'],
  ['ENFILE', 'too many open files in system'],
  ['ENOBUFS', 'no buffer space available'],
  ['EPERM', 'operation not permitted'],
  ['EPIPE', 'broken pipe'],
  ['ETIMEDOUT', 'connection timed out'],
]);

const lookupTexts: ReadonlyMap<string, string> = new Map([
  ['ENODATA', 'no such host'],
  ['ENOTFOUND', 'no such host'],
  ['EAI_AGAIN', 'Temporary failure in name resolution'],
]);

/** Returns the error of a connection that could not be made. */
export function dialError(error: unknown, host: string, port: number): ConnectionError {
  // One error for each address of the host; Go reports the first one.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = textOf(cause, 'code');
  const call = code === 'EMFILE' || code === 'ENFILE' ? 'socket' : 'connect';
  const address = hostPort(textOf(cause, 'address') || host, port);
  return new ConnectionError(`dial tcp ${address}: ${call}: ${errorText(cause)}`, { cause: error });
}

export function lookupError(error: unknown, host: string): ConnectionError {
  const text = lookupTexts.get(textOf(error, 'code')) ?? textOf(error, 'message');
  return new ConnectionError(`dial tcp: lookup ${host}: ${text}`, { cause: error });
}

/** Returns the error of a connection that broke. `ends` are its two addresses, as in `127.0.0.1:1->127.0.0.1:2`. */
export function brokenError(error: unknown, ends: string): ConnectionError {
  const call = textOf(error, 'syscall') === 'write' ? 'write' : 'read';
  return new ConnectionError(`${call} tcp ${ends}: ${call}: ${errorText(error)}`, { cause: error });
}

const errorText = (error: unknown): string => errorTexts.get(textOf(error, 'code')) ?? textOf(error, 'message');

/** Returns a property of an error that should be a text; empty if it is none. */
export function textOf(error: unknown, property: 'code' | 'message' | 'address' | 'syscall' | 'reason'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : '';
}
