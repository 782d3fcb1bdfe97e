/** `--feature-gates`. */
export { parseFeatureGates } from './parse-feature-gates.ts';
