/**
 * The contract of `Store` as a test suite, run by every driver here and usable for other drivers.
 *
 * It does not depend on a test framework: `describe` and `it` are parameters, failures are assertion errors.
 */
export { describeStore, type SuiteTools } from './describe-store.ts';
export type { DriverTraits, StoreUnderTest } from './store-under-test.ts';
