/**
 * The contract of a CRI runtime as a test suite: what a kubelet relies on, run by every runtime here and usable for others.
 *
 * It does not depend on a test framework: `describe` and `it` are parameters, failures are assertion errors.
 */
export { describeRuntime, type SuiteTools } from './describe-runtime.ts';
export type { RuntimeTraits, RuntimeUnderTest } from './runtime-under-test.ts';
