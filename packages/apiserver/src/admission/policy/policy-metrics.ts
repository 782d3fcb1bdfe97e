import { CounterFamily, HistogramFamily } from '../../metrics/index.ts';
import { OutOfBudgetError } from '../expressions/out-of-budget-error.ts';

type EnforcementAction = 'allow' | 'audit' | 'deny' | 'warn';

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];
const ofPolicy = ['policy', 'policy_binding', 'error_type'];

/** The names of bindings by policy name. */
export type ActiveNames = ReadonlyMap<string, ReadonlySet<string>>;

/** The two metrics of one type of policies. */
function checks(prefix: string, what: string, labels: readonly string[]) {
  return {
    total: new CounterFamily({ name: `${prefix}_check_total`, help: `Number of ${what}.`, labels }),
    seconds: new HistogramFamily({
      name: `${prefix}_check_duration_seconds`,
      help: `Latency of ${what} in seconds.`,
      labels,
      buckets,
    }),
  };
}

/** Metrics of admission policies, with upstream's names. */
export class PolicyMetrics {
  readonly #validations = checks('apiserver_validating_admission_policy', 'validations of admission policies', [
    ...ofPolicy,
    'enforcement_action',
  ]);
  readonly #mutations = checks('apiserver_mutating_admission_policy', 'mutations of admission policies', ofPolicy);
  readonly families = [
    this.#validations.total,
    this.#validations.seconds,
    this.#mutations.total,
    this.#mutations.seconds,
  ];

  /** Deletes the metrics of validating policies and bindings that are not in `active`. */
  keepValidations(active: ActiveNames): void {
    keepOnly(this.#validations, active);
  }

  /** Deletes the metrics of mutating policies and bindings that are not in `active`. */
  keepMutations(active: ActiveNames): void {
    keepOnly(this.#mutations, active);
  }

  validated(policy: string, binding: string, errorType: string, action: EnforcementAction, seconds: number): void {
    const labels = [policy, binding, errorType, action];
    this.#validations.total.with(...labels).inc();
    this.#validations.seconds.with(...labels).observe(seconds);
  }

  mutated(policy: string, binding: string, error: unknown, seconds: number): void {
    const labels = [policy, binding, mutationErrorType(error)];
    this.#mutations.total.with(...labels).inc();
    this.#mutations.seconds.with(...labels).observe(seconds);
  }
}

function keepOnly({ total, seconds }: ReturnType<typeof checks>, active: ActiveNames): void {
  const isGone = (policy: string, binding: string): boolean => !active.get(policy)?.has(binding);
  for (const family of [total, seconds]) family.forget(['policy', 'policy_binding'], isGone);
}

function mutationErrorType(error: unknown): string {
  if (error === undefined) return 'no_error';
  if (error instanceof OutOfBudgetError) return 'out_of_budget';
  return error instanceof Error && error.message.startsWith('compilation') ? 'compile_error' : 'invalid_error';
}
