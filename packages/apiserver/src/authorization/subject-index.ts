import type { UserInfo } from '@coxswain/api';
import type { ClusterRoleBinding, RoleBinding, Subject } from '@coxswain/api/rbac/v1';
import { serviceAccountUsername } from '../serviceaccount/user-info.ts';

export type Binding = ClusterRoleBinding | RoleBinding;

interface BoundSubject {
  readonly binding: Binding;
  /** The index in the binding's list of subjects. */
  readonly position: number;
}

type Entries = Map<string, Map<string, BoundSubject>>;

/** The RoleBindings of one namespace, or all ClusterRoleBindings, indexed by user and group. */
export class SubjectIndex {
  readonly #namespace: string;
  readonly #bindings = new Map<string, Binding>();
  /** By name of the user or group, then of the binding. Service accounts are in `#users`, by their user name. */
  readonly #users: Entries = new Map();
  readonly #groups: Entries = new Map();

  /** `namespace` is empty for ClusterRoleBindings. */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  get isEmpty(): boolean {
    return this.#bindings.size === 0;
  }

  /** Sets a binding; undefined deletes it. */
  set(name: string, binding: Binding | undefined): void {
    const old = this.#bindings.get(name);
    if (old === binding) return;
    if (old) for (const subject of old.subjects ?? []) this.#remove(subject, name);
    if (!binding) {
      this.#bindings.delete(name);
      return;
    }
    this.#bindings.set(name, binding);
    for (const [position, subject] of (binding.subjects ?? []).entries()) this.#add(subject, { binding, position });
  }

  /** The bindings with the user as subject. A binding is repeated for each of its subjects that matches. */
  *bindingsFor(user: UserInfo): Iterable<BoundSubject> {
    const asUser = this.#users.get(user.username);
    if (asUser) yield* asUser.values();
    for (const group of user.groups ?? []) {
      const asMember = this.#groups.get(group);
      if (asMember) yield* asMember.values();
    }
  }

  /** The first subject in the binding's list that matches the user or one of its groups. */
  firstSubject(user: UserInfo, binding: Binding): Subject | undefined {
    const name = binding.metadata.name ?? '';
    let first = this.#users.get(user.username)?.get(name)?.position ?? Number.POSITIVE_INFINITY;
    for (const group of user.groups ?? []) {
      first = Math.min(first, this.#groups.get(group)?.get(name)?.position ?? first);
    }
    return binding.subjects?.[first];
  }

  #add(subject: Subject, bound: BoundSubject): void {
    const [entries, who] = this.#entriesOf(subject);
    if (entries === undefined) return;
    let bindings = entries.get(who);
    if (!bindings) {
      bindings = new Map();
      entries.set(who, bindings);
    }
    const name = bound.binding.metadata.name ?? '';
    // A repeated subject has the position of its first occurrence.
    if (!bindings.has(name)) bindings.set(name, bound);
  }

  #remove(subject: Subject, name: string): void {
    const [entries, who] = this.#entriesOf(subject);
    const bindings = entries?.get(who);
    bindings?.delete(name);
    if (bindings?.size === 0) entries?.delete(who);
  }

  #entriesOf(subject: Subject): [entries: Entries | undefined, who: string] {
    switch (subject.kind) {
      case 'User':
        return [this.#users, subject.name];
      case 'Group':
        return [this.#groups, subject.name];
      case 'ServiceAccount': {
        const namespace = subject.namespace || this.#namespace;
        // A service account without any namespace matches no user.
        return [namespace ? this.#users : undefined, serviceAccountUsername(namespace, subject.name)];
      }
      default:
        return [undefined, ''];
    }
  }
}
