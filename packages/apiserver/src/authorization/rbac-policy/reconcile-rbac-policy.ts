import type { FeatureGates } from '@coxswain/api';
import type { AggregationRule, PolicyRule, RoleRef, Subject } from '@coxswain/api/rbac/v1';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isServiceUnavailable,
  jsonEquals,
  type ObjectMeta,
  semanticEqual,
} from '@coxswain/apimachinery';
import type { InternalClient, Listers } from '../../registry/lister.ts';
import { uncoveredRules } from '../rule-coverage.ts';
import { rbacPolicy } from './rbac-policy.ts';

const group = 'rbac.authorization.k8s.io';
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

/** The fields of roles and bindings; bindings have a roleRef. */
interface PolicyObject {
  kind?: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: AggregationRule;
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface Reconciled {
  created: number;
  updated: number;
}

/**
 * Creates the missing default roles and bindings, and adds missing rules, subjects, labels and annotations to existing
 * ones. It removes none of them, and skips objects annotated with `autoupdate: "false"`. A binding with another role is
 * recreated. Sends no request when nothing is missing. Rejects with the first error after all objects were processed;
 * it may then be called again.
 */
export async function reconcileRbacPolicy(
  client: InternalClient,
  listers: Listers,
  { features, kubeletClient }: { readonly features?: FeatureGates; readonly kubeletClient?: string } = {},
): Promise<Reconciled> {
  const policy = rbacPolicy(features, kubeletClient);
  const done: Reconciled = { created: 0, updated: 0 };
  const of = (resource: string) => new Reconciliation(client, listers, resource, done);
  const expected: [Reconciliation, readonly PolicyObject[]][] = [
    [of('clusterroles'), policy.clusterRoles],
    [of('clusterrolebindings'), policy.clusterRoleBindings],
    [of('roles'), policy.roles],
    [of('rolebindings'), policy.roleBindings],
  ];
  await Promise.all(expected.map(([reconciliation]) => reconciliation.synced));
  // Concurrently, since the store commits concurrent writes together.
  const results = await Promise.allSettled(
    expected.flatMap(([reconciliation, objects]) => objects.map((object) => reconciliation.reconcile(object))),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return done;
}

class Reconciliation {
  readonly synced: Promise<void>;
  readonly #client: InternalClient;
  readonly #resource: string;
  readonly #done: Reconciled;
  /** Returns the object as the lister has it. */
  readonly #known: (namespace: string, name: string) => PolicyObject | undefined;

  constructor(client: InternalClient, listers: Listers, resource: string, done: Reconciled) {
    const lister = listers.lister<PolicyObject>(group, resource);
    this.synced = lister.synced;
    this.#client = client;
    this.#resource = resource;
    this.#done = done;
    this.#known = (namespace, name) => lister.get(namespace, name);
  }

  async reconcile(expected: PolicyObject): Promise<void> {
    const { namespace = '', name = '' } = expected.metadata;
    let existing = this.#known(namespace, name);
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#bringAbout(expected, existing);
      } catch (error) {
        if (attempts > 3 || !changedMeanwhile.some((is) => is(error))) throw error;
        existing = await this.#get(namespace, name);
      }
    }
  }

  async #bringAbout(expected: PolicyObject, existing: PolicyObject | undefined): Promise<void> {
    if (!existing) return this.#create(this.#successor(expected) ?? expected);
    if (isProtected(existing)) return;
    if (expected.roleRef && !jsonEquals(expected.roleRef, existing.roleRef)) {
      const { namespace = '', name = '', uid } = existing.metadata;
      await this.#client.delete(group, this.#resource, namespace, name, { uid });
      return this.#create(expected);
    }
    const merged = merge(existing, expected);
    if (semanticEqual(merged, existing)) return;
    await this.#client.update(group, this.#resource, merged);
    this.#done.updated++;
  }

  async #create(object: PolicyObject): Promise<void> {
    await this.#client.create(group, this.#resource, object);
    this.#done.created++;
  }

  async #get(namespace: string, name: string): Promise<PolicyObject | undefined> {
    try {
      return await this.#client.get<PolicyObject>(group, this.#resource, namespace, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /**
   * For an object that took over a part of an older one: returns it with the changes that an administrator made to that
   * one.
   */
  #successor(expected: PolicyObject): PolicyObject | undefined {
    const oldName = this.#known('', expected.metadata.name ?? '')
      ? undefined
      : predecessors[this.#resource]?.(expected);
    const old = oldName === undefined ? undefined : this.#known('', oldName);
    if (!old || old.aggregationRule) return undefined;
    const { labels, annotations } = old.metadata;
    const heir: PolicyObject = {
      ...expected,
      metadata: { name: expected.metadata.name, ...(labels && { labels }), ...(annotations && { annotations }) },
      ...(expected.roleRef ? { subjects: old.subjects } : { rules: old.rules }),
    };
    return isProtected(heir) ? heir : merge(heir, expected);
  }
}

const predecessors: Readonly<Record<string, (expected: PolicyObject) => string | undefined>> = {
  // Administrators changed these roles directly before they were aggregated.
  clusterroles: ({ metadata: { name = '' } }) => /^system:aggregate-to-(admin|edit|view)$/.exec(name)?.[1],
  // It was split from system:discovery, and must have no subjects that an administrator removed there.
  clusterrolebindings: ({ metadata: { name } }) =>
    name === 'system:public-info-viewer' ? 'system:discovery' : undefined,
};

const changedMeanwhile = [isAlreadyExists, isNotFound, isConflict, isServiceUnavailable];

const isProtected = ({ metadata }: PolicyObject): boolean => metadata.annotations?.[autoUpdate] === 'false';

/** Returns the existing object with everything added that it lacks. Its own values are kept. */
function merge(existing: PolicyObject, expected: PolicyObject): PolicyObject {
  const merged: PolicyObject = {
    ...existing,
    metadata: {
      ...existing.metadata,
      labels: { ...expected.metadata.labels, ...existing.metadata.labels },
      annotations: { ...expected.metadata.annotations, ...existing.metadata.annotations },
    },
  };
  if (expected.roleRef) {
    const subjects = existing.subjects ?? [];
    const missing = (expected.subjects ?? []).filter((subject) => !subjects.some((has) => semanticEqual(has, subject)));
    if (missing.length > 0) merged.subjects = [...subjects, ...missing];
    return merged;
  }
  const rules = existing.rules ?? [];
  const missing = jsonEquals(rules, expected.rules) ? [] : uncoveredRules(rules, expected.rules ?? []);
  if (missing.length > 0) merged.rules = [...rules, ...missing];
  if (!expected.aggregationRule) {
    delete merged.aggregationRule;
  } else {
    const selectors = existing.aggregationRule?.clusterRoleSelectors ?? [];
    const lacking = (expected.aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !selectors.some((has) => semanticEqual(has, selector)),
    );
    if (lacking.length > 0) merged.aggregationRule = { clusterRoleSelectors: [...selectors, ...lacking] };
  }
  return merged;
}
