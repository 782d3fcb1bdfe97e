import { aggregate, duplicate, type ErrorList, invalid, Path } from '@coxswain/apimachinery/field';
import { readArgsOfShape } from '../../framework/args-shape.ts';
import { defaultedResources, type ResourceSpec, resourceSpecsShape } from '../node-resources/resource-spec.ts';

export interface NodeResourcesBalancedAllocationArgs {
  readonly resources: readonly ResourceSpec[];
}

/** Throws an Error with all problems. */
export function readBalancedAllocationArgs(
  args: unknown,
  path: Path = Path.of(''),
): NodeResourcesBalancedAllocationArgs {
  const resources = defaultedResources(readArgsOfShape(args, { resources: resourceSpecsShape }).resources);
  const errors: ErrorList = [];
  const seen = new Set<string>();
  resources.forEach(({ name, weight }, i) => {
    const at = path.child('resources').index(i);
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
    seen.add(name);
    if (weight !== 1) errors.push(invalid(at.child('weight'), weight, 'must be 1'));
  });
  if (errors.length > 0) throw new Error(aggregate(errors));
  return { resources };
}
