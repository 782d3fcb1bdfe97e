import { type FieldError, invalid, Path } from '@coxswain/apimachinery/field';
import { durationToMs } from '@coxswain/apimachinery/time';
import { readArgsOfShape } from '../../framework/args-shape.ts';

export interface DynamicResourcesArgs {
  /** Time limit for finding devices on one node; 0: no limit. */
  readonly filterTimeoutMs: number;
  /** How long a pod waits in PreBind for binding conditions. */
  readonly bindingTimeoutMs: number;
}

const shape = { filterTimeout: 'string', bindingTimeout: 'string' } as const;

/** Throws an Error that names the invalid args. */
export function readDynamicResourcesArgs(args: unknown, path: Path = Path.of('')): DynamicResourcesArgs {
  const { filterTimeout = '10s', bindingTimeout = '10m0s' } = readArgsOfShape(args, shape);
  const read = { filterTimeoutMs: durationToMs(filterTimeout), bindingTimeoutMs: durationToMs(bindingTimeout) };
  const errors: FieldError[] = [];
  if (read.filterTimeoutMs < 0) {
    errors.push(invalid(path.child('filterTimeout'), filterTimeout, 'must be zero or positive'));
  }
  if (read.bindingTimeoutMs < 1000) {
    errors.push(invalid(path.child('bindingTimeout'), bindingTimeout, 'must be at least 1 second'));
  }
  if (errors.length > 0) throw new Error(errors.length === 1 ? String(errors[0]) : `[${errors.join(', ')}]`);
  return read;
}
