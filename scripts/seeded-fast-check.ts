/**
 * The fast-check that tests import: with a fixed seed, so that runs are repeatable and a failure can be investigated. `FC_SEED=random` uses
 * new seeds, `FC_SEED=<number>` a given one; `FC_RUNS` is the default number of runs of a property.
 */
import fc from '../node_modules/fast-check/lib/fast-check.js';

export * from '../node_modules/fast-check/lib/fast-check.js';
// biome-ignore lint/style/noDefaultExport: it replaces a module that has one
export default fc;

const { FC_SEED = '20260101', FC_RUNS } = process.env;
fc.configureGlobal({
  ...(FC_SEED !== 'random' && { seed: Number(FC_SEED) }),
  ...(FC_RUNS && { numRuns: Number(FC_RUNS) }),
});
