import type { MatchResources, ParamRef } from '@coxswain/api/admissionregistration/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister } from '../../registry/lister.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { compileMatchResources, type ResourceMatcher } from './match-resources.ts';
import type { ActiveNames } from './policy-metrics.ts';

/** The common fields of policies and bindings. */
interface Policy extends KubernetesObject {
  readonly metadata: NonNullable<KubernetesObject['metadata']>;
  readonly spec?: { readonly matchConstraints?: MatchResources };
}
interface PolicyBinding extends KubernetesObject {
  readonly metadata: NonNullable<KubernetesObject['metadata']>;
  readonly spec?: {
    readonly policyName?: string;
    readonly matchResources?: MatchResources;
    readonly paramRef?: ParamRef;
  };
}

/** A compiled binding. */
export interface ActiveBinding<B> {
  readonly binding: B;
  readonly name: string;
  readonly matches: ResourceMatcher;
}

/** A policy with at least one binding. */
export interface ActivePolicy<P, B, E> {
  readonly policy: P;
  readonly name: string;
  readonly matches: ResourceMatcher;
  readonly bindings: readonly ActiveBinding<B>[];
  /** Its expressions, compiled on first use. */
  readonly evaluator: () => Promise<E>;
}

type ReadPolicy<P, B, E> = Pick<ActivePolicy<P, B, E>, 'policy' | 'matches' | 'evaluator'>;

interface PolicySourceOptions<P, B, E> {
  /** Called at the first write. */
  readonly policies: () => Lister<P & KubernetesObject>;
  readonly bindings: () => Lister<B & KubernetesObject>;
  readonly compile: (policy: P) => Promise<E>;
  readonly context: Pick<AdmissionContext, 'listers' | 'client'>;
  /** Called after changes with all active policies, and the names of those that are no longer active. */
  readonly onCollected: (active: ActiveNames, gone: readonly string[]) => void;
}

/**
 * All policies of one type that have bindings, sorted by name; upstream has a random order. Changes take effect
 * immediately. A policy is compiled after it has changed; without changes, `active` returns a cached list.
 */
export class PolicySource<P extends Policy, B extends PolicyBinding, E> {
  readonly #options: PolicySourceOptions<P, B, E>;
  /** The policies that were active last, by name. */
  #policies: ReadonlyMap<string, ReadPolicy<P, B, E>> = new Map();
  readonly #bindings = new WeakMap<B, ActiveBinding<B>>();
  #listers: { readonly policies: Lister<P>; readonly bindings: Lister<B> } | undefined;
  #synced: Promise<void> | undefined;
  /** Undefined after a change. */
  #active: readonly ActivePolicy<P, B, E>[] | undefined;

  constructor(options: PolicySourceOptions<P, B, E>) {
    this.#options = options;
  }

  /** Returns a promise only until the listers have synced. */
  active(): readonly ActivePolicy<P, B, E>[] | Promise<readonly ActivePolicy<P, B, E>[]> {
    if (this.#active) return this.#active;
    if (this.#listers) {
      this.#active = this.#collect(this.#listers.policies, this.#listers.bindings);
      return this.#active;
    }
    this.#synced ??= this.#start();
    return this.#synced.then(() => this.active());
  }

  async #start(): Promise<void> {
    const policies = this.#options.policies();
    const bindings = this.#options.bindings();
    const changed = (): void => {
      this.#active = undefined;
    };
    policies.onChange(changed);
    bindings.onChange(changed);
    await Promise.all([policies.synced, bindings.synced]);
    this.#listers = { policies, bindings };
  }

  #collect(policies: Lister<P>, bindings: Lister<B>): readonly ActivePolicy<P, B, E>[] {
    const byPolicy = new Map<string, ActiveBinding<B>[]>();
    for (const binding of bindings.list()) {
      const name = binding.spec?.policyName ?? '';
      const others = byPolicy.get(name);
      if (others) others.push(this.#binding(binding));
      else byPolicy.set(name, [this.#binding(binding)]);
    }
    const read = new Map<string, ReadPolicy<P, B, E>>();
    const active: ActivePolicy<P, B, E>[] = [];
    if (byPolicy.size > 0)
      for (const policy of policies.list()) {
        const name = policy.metadata.name ?? '';
        const bound = byPolicy.get(name);
        if (!bound) continue;
        const known = this.#read(policy, this.#policies.get(name));
        read.set(name, known);
        active.push({ policy, name, bindings: bound, matches: known.matches, evaluator: known.evaluator });
      }
    const gone = [...this.#policies.keys()].filter((name) => !read.has(name));
    this.#policies = read;
    this.#options.onCollected(
      new Map(active.map(({ name, bindings }) => [name, new Set(bindings.map((binding) => binding.name))])),
      gone,
    );
    return active;
  }

  /** Keeps the compiled policy while its generation is the same, as when only the status has changed. */
  #read(policy: P, known: ReadPolicy<P, B, E> | undefined): ReadPolicy<P, B, E> {
    if (known && isSame(known.policy, policy)) return known;
    const { compile, context } = this.#options;
    let evaluator: Promise<E> | undefined;
    return {
      policy,
      matches: compileMatchResources(policy.spec?.matchConstraints ?? {}, context),
      evaluator: () => {
        evaluator ??= compile(policy);
        return evaluator;
      },
    };
  }

  #binding(binding: B): ActiveBinding<B> {
    let known = this.#bindings.get(binding);
    if (!known) {
      const { matchResources } = binding.spec ?? {};
      const everything: ResourceMatcher = ({ resource, kind }) => ({ resource, kind });
      const matches = matchResources ? compileMatchResources(matchResources, this.#options.context) : everything;
      known = { binding, name: binding.metadata.name ?? '', matches };
      this.#bindings.set(binding, known);
    }
    return known;
  }
}

function isSame(a: Policy, b: Policy): boolean {
  const { uid, generation } = a.metadata;
  return a === b || (uid !== undefined && uid === b.metadata.uid && generation === b.metadata.generation);
}
