import {
  aggregate,
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  Path,
  required,
} from '@coxswain/apimachinery/field';
import { validateLabelName } from '@coxswain/apimachinery/validation';
import { readArgsOfShape } from '../../framework/args-shape.ts';
import { defaultedResources, type ResourceSpec, resourceSpecsShape } from '../node-resources/resource-spec.ts';
import { maxShapeScore, type ShapePoint } from './broken-line.ts';

export interface NodeResourcesFitArgs {
  /** Extended resources to ignore, by name, and by group (the part before the slash). */
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
  readonly scoringStrategy: ScoringStrategy;
}

export type ScoringStrategy = { readonly resources: readonly ResourceSpec[] } & (
  | { readonly type: 'LeastAllocated' | 'MostAllocated' }
  | { readonly type: 'RequestedToCapacityRatio'; readonly shape: readonly ShapePoint[] }
);

const strategies = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

const argsShape = {
  ignoredResources: 'strings',
  ignoredResourceGroups: 'strings',
  scoringStrategy: {
    type: 'string',
    resources: resourceSpecsShape,
    requestedToCapacityRatio: { shape: [{ utilization: 'integer', score: 'integer' }] },
  },
} as const;

/**
 * Throws an Error with all problems, with paths relative to the args: upstream validates these when it creates the plug-in, not with the
 * rest of the configuration.
 */
export function readFitArgs(args: unknown): NodeResourcesFitArgs {
  const {
    ignoredResources = [],
    ignoredResourceGroups = [],
    scoringStrategy = { type: 'LeastAllocated' },
  } = readArgsOfShape(args, argsShape);
  const errors: ErrorList = [];
  ignoredResources.forEach((name, i) => {
    validateLabelName(name, Path.of('ignoredResources').index(i), errors);
  });
  ignoredResourceGroups.forEach((group, i) => {
    const path = Path.of('ignoredResourceGroups').index(i);
    if (group.includes('/')) errors.push(invalid(path, group, "resource group name can't contain '/'"));
    validateLabelName(group, path, errors);
  });
  const { type = '', requestedToCapacityRatio } = scoringStrategy;
  const path = Path.of('scoringStrategy');
  if (!strategies.includes(type)) errors.push(notSupported(path.child('type'), type, strategies));
  const resources = defaultedResources(scoringStrategy.resources);
  validateWeights(resources, path.child('resources'), errors);
  const shape =
    requestedToCapacityRatio?.shape?.map(({ utilization = 0, score = 0 }) => ({ utilization, score })) ?? [];
  const ratioPath = path.child('requestedToCapacityRatio');
  const isRatio = type === 'RequestedToCapacityRatio';
  if (isRatio && requestedToCapacityRatio) validateShape(shape, ratioPath.child('shape'), errors);
  else if (isRatio) errors.push(required(ratioPath, `must be specified when type is ${type}`));
  else if (requestedToCapacityRatio)
    errors.push(forbidden(ratioPath, 'must be nil when type is not RequestedToCapacityRatio'));
  if (errors.length > 0) throw new Error(aggregate(errors));
  return {
    ignoredResources,
    ignoredResourceGroups,
    scoringStrategy: isRatio
      ? { type, resources, shape }
      : { type: type === 'MostAllocated' ? type : 'LeastAllocated', resources },
  };
}

function validateWeights(resources: readonly ResourceSpec[], path: Path, errors: ErrorList): void {
  resources.forEach(({ name, weight }, i) => {
    if (weight <= 0 || weight > 100)
      errors.push(
        invalid(path.index(i).child('weight'), weight, `resource weight of ${name} not in valid range (0, 100]`),
      );
  });
}

function validateShape(shape: readonly ShapePoint[], path: Path, errors: ErrorList): void {
  if (shape.length === 0) errors.push(required(path, 'at least one point must be specified'));
  const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && shape[i - 1]!.utilization >= utilization);
  if (unsorted > 0) {
    const at = path.index(unsorted).child('utilization');
    errors.push(invalid(at, shape[unsorted]!.utilization, 'values must be sorted in increasing order'));
  }
  shape.forEach((point, i) => {
    for (const [field, most] of [
      ['utilization', 100],
      ['score', maxShapeScore],
    ] as const)
      if (point[field] < 0 || point[field] > most)
        errors.push(invalid(path.index(i).child(field), point[field], `not in valid range [0, ${most}]`));
  });
}
