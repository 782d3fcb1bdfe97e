/** Node's TLS, loaded with the first connection that needs it: it takes several milliseconds, with all of `node:crypto`. */
export const nodeTls = (): typeof import('node:tls') => process.getBuiltinModule('node:tls');
