/**
 * The port of a program, with health and metrics, and for components also their configuration. It may have TLS,
 * authentication and authorization. Start at `component-server.ts` (the port), and at `program-pages.ts` and
 * `component-pages.ts` (its pages).
 */
export { type ComponentPagesOptions, componentPages } from './component-pages.ts';
export {
  type ComponentServer,
  type ComponentServerOptions,
  type PlainServerOptions,
  type SecuredServerOptions,
  startComponentServer,
} from './component-server.ts';
export { reviewingTokens } from './delegated-authenticator.ts';
export { reviewingAuthorizer } from './delegated-authorizer.ts';
export { type ProgramPagesOptions, programPages } from './program-pages.ts';
export { certificateNames, servingCertificate } from './serving-certificate.ts';
export { type ServingOptions, type ServingSettings, servingFlagGroups, servingFlags } from './serving-flags.ts';
export { flagsText, statusText, textPage } from './text-pages.ts';
export { tlsCiphers, tlsMinVersion } from './tls-settings.ts';
export { servingProblems } from './validate-serving.ts';
