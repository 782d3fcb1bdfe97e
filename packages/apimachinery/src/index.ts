/**
 * `@coxswain/apimachinery`: the words every part of Kubernetes speaks. Kinds and versions, the Scheme,
 * codecs, selectors, quantities, patches, server-side apply, errors.
 *
 * It is not a client and knows no built-in kind: those are data in `@coxswain/api`. It does no I/O and
 * imports nothing of Node, so that it runs in a browser as it stands.
 *
 * Where to start: `schema/` (a type as data), `runtime/` (Scheme, codecs), `patch/`, `apply/`.
 */
export * from './field/index.ts';
export type * from './schema/schema.ts';
export * from './meta/index.ts';
export * from './errors/index.ts';
export * from './json/index.ts';
export * from './validation/index.ts';
