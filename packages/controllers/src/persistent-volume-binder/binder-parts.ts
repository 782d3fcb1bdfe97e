import type { Binding } from './binding.ts';
import type { Operations } from './operations.ts';
import type { VolumePlugin } from './volume-plugin.ts';

/** What those have who make volumes and take them away. */
export interface BinderParts {
  readonly binding: Binding;
  readonly operations: Operations;
  readonly plugins: ReadonlyMap<string, VolumePlugin>;
  /** Until the controller ends. */
  readonly signal: AbortSignal;
}
