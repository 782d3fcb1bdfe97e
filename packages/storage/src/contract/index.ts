/**
 * The contract of `Store` as a test suite. Every driver runs it, and so can whoever writes another one.
 *
 * It needs no test framework of its own: `describe` and `it` come in, failures are assertion errors.
 */
export { describeStore, type SuiteTools } from './describe-store.ts';
export type { DriverTraits, StoreUnderTest } from './store-under-test.ts';
