/**
 * Node's TLS module. Loaded with the first connection that needs it, because loading it with `node:crypto` takes
 * several milliseconds.
 */
export const nodeTls = (): typeof import('node:tls') => process.getBuiltinModule('node:tls');
