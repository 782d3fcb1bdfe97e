/**
 * fast-check as the tests import it: with one seed for all, so that a run says the same as the last and a failure is there to
 * be looked at. `FC_SEED=random` takes new ones, to look for more; `FC_SEED=<number>` repeats one of these; `FC_RUNS` is how often
 * properties are tried that do not say it themselves.
 */
import fc from '../node_modules/fast-check/lib/fast-check.js';

export * from '../node_modules/fast-check/lib/fast-check.js';
// biome-ignore lint/style/noDefaultExport: it stands in for a module that has one
export default fc;

const { FC_SEED = '20260101', FC_RUNS } = process.env;
fc.configureGlobal({
  ...(FC_SEED !== 'random' && { seed: Number(FC_SEED) }),
  ...(FC_RUNS && { numRuns: Number(FC_RUNS) }),
});
