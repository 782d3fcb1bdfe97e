/**
 * `@coxswain/apimachinery`: the API machinery shared by all parts of Kubernetes: kinds and versions, the Scheme, codecs, selectors,
 * quantities, patches, server-side apply, errors.
 *
 * It is not a client and knows no built-in kind: those are data in `@coxswain/api`. It does no I/O and imports no Node modules, so it
 * runs in browsers unchanged.
 *
 * Where to start: `schema/` (a type as data), `runtime/` (Scheme, codecs), `patch/`, `apply/`.
 */

export * from './apply/index.ts';
export * from './codec/index.ts';
export * from './der/index.ts';
export * from './errors/index.ts';
export * from './field/index.ts';
export * as fields from './fields/index.ts';
export * from './go-regexp/index.ts';
export * from './intstr/index.ts';
export * from './json/index.ts';
export * as labels from './labels/index.ts';
export * from './meta/index.ts';
export * from './patch/index.ts';
export * from './quantity/index.ts';
export * from './restmapper/index.ts';
export * from './runtime/index.ts';
export * from './schema/index.ts';
export * from './steps/index.ts';
export * from './time/index.ts';
export * from './validation/index.ts';
export * from './watch/index.ts';
