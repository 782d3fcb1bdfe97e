import type { TopologySpreadConstraint } from '@coxswain/api/core/v1';
import {
  aggregate,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  notSupported,
  Path,
  required,
} from '@coxswain/apimachinery/field';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { isQualifiedName } from '@coxswain/apimachinery/validation';
import { readArgsOfShape, type Shaped } from '../../framework/args-shape.ts';

/** The constraints for pods without their own. */
export interface PodTopologySpreadArgs {
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
  /** System: the scheduler's built-in constraints instead of these. */
  readonly defaultingType: 'System' | 'List';
}

const constraintShape = {
  maxSkew: 'integer',
  topologyKey: 'string',
  whenUnsatisfiable: 'string',
  minDomains: 'integer',
  nodeAffinityPolicy: 'string',
  nodeTaintsPolicy: 'string',
  matchLabelKeys: 'strings',
} as const;
const shape = { defaultConstraints: [constraintShape], defaultingType: 'string' } as const;
type ReadConstraint = Shaped<typeof constraintShape>;

const types = ['System', 'List'] as const;
const actions = ['DoNotSchedule', 'ScheduleAnyway'] as const;
const policies = ['Honor', 'Ignore'] as const;

/** Throws an Error with the messages of all invalid fields. */
export function readPodTopologySpreadArgs(args: unknown, path?: Path): PodTopologySpreadArgs {
  const { rest, withSelector } = withoutSelectors(args);
  const read = readArgsOfShape(rest, shape);
  const at = (name: string): Path => path?.child(name) ?? Path.of(name);
  const errors: ErrorList = [];
  const constraints = read.defaultConstraints ?? [];
  const type = read.defaultingType || 'System';
  const defaultingType = types.find((known) => known === type);
  if (!defaultingType) errors.push(notSupported(at('defaultingType'), type, types));
  else if (defaultingType === 'System' && constraints.length > 0)
    errors.push(invalid(at('defaultingType'), type, 'when .defaultConstraints are not empty'));

  const list = at('defaultConstraints');
  const defaultConstraints = constraints.map((constraint, i) => {
    const checked = checkConstraint(constraint, list.index(i), errors);
    if (withSelector.has(i))
      errors.push(
        forbidden(
          list.index(i).child('labelSelector'),
          'constraint must not define a selector, as they deduced for each pod',
        ),
      );
    if (constraints.slice(0, i).some((other) => isSame(other, constraint)))
      errors.push(duplicate(list.index(i), `{${checked.topologyKey}, ${constraint.whenUnsatisfiable ?? ''}}`));
    return checked;
  });
  if (errors.length > 0 || !defaultingType) throw new Error(aggregate(errors));
  return { defaultConstraints, defaultingType };
}

function checkConstraint(constraint: ReadConstraint, path: Path, errors: ErrorList): TopologySpreadConstraint {
  const { maxSkew = 0, topologyKey = '', minDomains, matchLabelKeys } = constraint;
  if (maxSkew <= 0) errors.push(invalid(path.child('maxSkew'), maxSkew, 'not in valid range (0, inf)'));
  if (!topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  else invalidEach(path.child('topologyKey'), topologyKey, isQualifiedName(topologyKey), errors);
  const whenUnsatisfiable = actions.find((action) => action === constraint.whenUnsatisfiable);
  if (!whenUnsatisfiable) {
    const field = path.child('whenUnsatisfiable');
    const value = constraint.whenUnsatisfiable;
    errors.push(value ? notSupported(field, value, actions) : required(field, 'can not be empty'));
  }
  const policy = (value: string | undefined) => policies.find((known) => known === value);
  return {
    maxSkew,
    topologyKey,
    whenUnsatisfiable: whenUnsatisfiable ?? 'ScheduleAnyway',
    minDomains,
    nodeAffinityPolicy: policy(constraint.nodeAffinityPolicy),
    nodeTaintsPolicy: policy(constraint.nodeTaintsPolicy),
    matchLabelKeys,
  };
}

const isSame = (a: ReadConstraint, b: ReadConstraint): boolean =>
  a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;

/**
 * Removes selectors before decoding, since any selector is refused, and returns the indexes of the constraints that had
 * one.
 */
function withoutSelectors(args: unknown): { rest: unknown; withSelector: ReadonlySet<number> } {
  const withSelector = new Set<number>();
  if (!isJsonObject(args) || !Array.isArray(args.defaultConstraints)) return { rest: args, withSelector };
  const defaultConstraints = args.defaultConstraints.map((constraint: unknown, i) => {
    if (!isJsonObject(constraint)) return constraint;
    const { labelSelector, ...others } = constraint;
    if (labelSelector !== undefined && labelSelector !== null) withSelector.add(i);
    return others;
  });
  return { rest: { ...args, defaultConstraints }, withSelector };
}
