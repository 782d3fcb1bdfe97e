import type { Binding } from './binding.ts';
import type { Operations } from './operations.ts';
import type { VolumePlugin } from './volume-plugin.ts';

/** The dependencies of provisioning and reclaiming. */
export interface BinderParts {
  readonly binding: Binding;
  readonly operations: Operations;
  readonly plugins: ReadonlyMap<string, VolumePlugin>;
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
}
