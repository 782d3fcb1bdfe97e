export type { Credential, Credentials, Impersonation, RestConfig, TlsConfig } from './rest-config.ts';
