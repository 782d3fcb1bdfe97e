import {
  type ErrorList,
  forbidden,
  notSupported,
  Path,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { PriorityClass } from '../../generated/scheduling/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const systemPrefix = 'system-';
const highestUserDefinablePriority = 1_000_000_000;
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

/** Classes that the server creates. Other classes must not use their prefix. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const wanted = systemPriorities.get(name);
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validate(priorityClass: PriorityClass): ErrorList {
  const errors: ErrorList = [];
  const { value = 0, globalDefault = false, preemptionPolicy } = priorityClass;
  const name = priorityClass.metadata.name ?? '';
  if (name.startsWith(systemPrefix)) {
    const problem = systemClassProblem(name, value, globalDefault);
    if (problem) {
      const detail = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
      errors.push(forbidden(Path.of('metadata', 'name'), detail));
    }
  } else if (value > highestUserDefinablePriority) {
    const detail = `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`;
    errors.push(forbidden(Path.of('value'), detail));
  }
  if (preemptionPolicy === undefined || preemptionPolicies.includes(preemptionPolicy)) return errors;
  const path = Path.of('preemptionPolicy');
  const isEmpty = (preemptionPolicy as string) === '';
  return [...errors, isEmpty ? required(path) : notSupported(path, preemptionPolicy, preemptionPolicies)];
}

function validateUpdate(priorityClass: PriorityClass, old: PriorityClass): ErrorList {
  const isMoved = (priorityClass.value ?? 0) !== (old.value ?? 0);
  return [
    ...(isMoved ? [forbidden(Path.of('value'), 'may not be changed in an update.')] : []),
    ...validateImmutableField(priorityClass.preemptionPolicy, old.preemptionPolicy, Path.of('preemptionPolicy')),
  ];
}

const strategy: Strategy<PriorityClass> = {
  // The generation never grows: the fields that would raise it are immutable.
  generation: [],
  validate,
  validateUpdate,
  table: {
    columns: columns('Name', 'Value:integer', 'Global-Default:boolean', 'Age', 'PreemptionPolicy'),
    row: ({ metadata, value, globalDefault, preemptionPolicy }, context) => [
      metadata.name ?? '',
      value ?? 0,
      globalDefault ?? false,
      translateTimestampSince(metadata.creationTimestamp, context),
      preemptionPolicy ?? '',
    ],
  },
};

export const behaviour: GroupVersionBehaviour = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  defaults: {
    PriorityClass: (priorityClass: PriorityClass): void => {
      priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
    },
  },
  strategies: { PriorityClass: strategy },
};
