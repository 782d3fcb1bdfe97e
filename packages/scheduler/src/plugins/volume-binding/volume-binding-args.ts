import { invalid, Path } from '@coxswain/apimachinery/field';
import { readArgsOfShape } from '../../framework/args-shape.ts';

export interface VolumeBindingArgs {
  /** How long a pod waits in PreBind for its volumes. */
  readonly bindTimeoutSeconds: number;
}

const shape = { bindTimeoutSeconds: 'integer', shape: [{ utilization: 'integer', score: 'integer' }] } as const;

/** Throws an Error that names the invalid args. */
export function readVolumeBindingArgs(args: unknown, path: Path = Path.of('')): VolumeBindingArgs {
  const { bindTimeoutSeconds = 600, shape: points } = readArgsOfShape(args, shape);
  const errors: unknown[] = [];
  if (bindTimeoutSeconds < 0) {
    const message = 'invalid BindTimeoutSeconds, should not be a negative value';
    errors.push(invalid(path.child('bindTimeoutSeconds'), bindTimeoutSeconds, message));
  }
  if (points) {
    const message = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';
    const value = points.map(({ utilization = 0, score = 0 }) => ({ utilization, score }));
    errors.push(invalid(path.child('shape'), value, message));
  }
  if (errors.length > 0) throw new Error(errors.length === 1 ? String(errors[0]) : `[${errors.join(', ')}]`);
  return { bindTimeoutSeconds };
}
