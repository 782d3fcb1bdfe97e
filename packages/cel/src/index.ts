/**
 * The Common Expression Language as Kubernetes uses it: one evaluator for rules of custom resources, admission
 * policies, match conditions and authorizer expressions.
 *
 * Start with `CelEnvironment`: declare variables and libraries, `compile` an expression (types are checked, with
 * upstream's error messages), check its `type` and `estimateCost`, then evaluate its `program()`. Costs are counted as
 * upstream counts them, and evaluation ends at the cost limit. `evaluate` is synchronous and ends after 40 ms;
 * `evaluateAsync` continues in slices and can call asynchronous functions. `fromJson` wraps JSON as values without
 * copying it.
 *
 * Not here: the functions that Kubernetes adds (see `library/`), and the users of expressions (custom resources,
 * policies).
 */

export {
  type CostNode,
  type SizeEstimator,
  UNBOUNDED,
} from './checking/cost-estimate.ts';
export { CelEnvironment, CompiledExpression } from './environment/environment.ts';
export type { Bindings } from './plan/frame.ts';
export { CelProgramError } from './plan/planner.ts';
export {
  type AsyncEvaluationOptions,
  type EvaluationResult,
  PER_CALL_COST_LIMIT,
  Program,
} from './plan/program.ts';
export type { Expr } from './syntax/ast.ts';
export { CelCompileError } from './syntax/source.ts';
export { EntryMap } from './values/collections.ts';
export { fromJson, toJson, type ValueSchema } from './values/json-adapter.ts';
export { runtimeType } from './values/runtime-type.ts';
export {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  objectType,
  optionalOf,
  STRING,
  sameType,
  TIMESTAMP,
} from './values/types.ts';
export {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './values/values.ts';
