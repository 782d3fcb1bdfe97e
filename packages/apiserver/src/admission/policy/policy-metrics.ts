import { CounterFamily, HistogramFamily } from '../../metrics/index.ts';
import { OutOfBudgetError } from '../expressions/out-of-budget-error.ts';

type EnforcementAction = 'allow' | 'audit' | 'deny' | 'warn';

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];
const ofPolicy = ['policy', 'policy_binding', 'error_type'];

/** By the name of a policy, the names of its bindings. */
export type ActiveNames = ReadonlyMap<string, ReadonlySet<string>>;

/** The two metrics of one sort of policies. */
function checks(prefix: string, what: string, labels: readonly string[]) {
  return {
    total: new CounterFamily({ name: `${prefix}_check_total`, help: `${what} that were evaluated.`, labels }),
    seconds: new HistogramFamily({
      name: `${prefix}_check_duration_seconds`,
      help: `Time that ${what} took, in seconds.`,
      labels,
      buckets,
    }),
  };
}

/** What policies come to, under upstream's names. */
export class PolicyMetrics {
  readonly #validations = checks('apiserver_validating_admission_policy', 'Validations of admission policies', [
    ...ofPolicy,
    'enforcement_action',
  ]);
  readonly #mutations = checks('apiserver_mutating_admission_policy', 'Mutations of admission policies', ofPolicy);
  readonly families = [
    this.#validations.total,
    this.#validations.seconds,
    this.#mutations.total,
    this.#mutations.seconds,
  ];

  /** Forgets the validations of all policies but those that bindings have put in force: policies by name, with their bindings. */
  keepValidations(active: ActiveNames): void {
    keepOnly(this.#validations, active);
  }

  /** The same for mutations. */
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
