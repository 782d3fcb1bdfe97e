import {
  type ErrorList,
  type KubernetesObject,
  nameIsDnsSubdomain,
  Path,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import type { Strategy, StrategyContext } from './strategy.ts';

interface Rules<T> {
  /** Default: a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => string[];
  /** On create, without `old`, and on update. */
  readonly validate: (object: T, old: T | undefined, context: StrategyContext) => ErrorList;
  /** Checks for changes that are not allowed. */
  readonly validateChange?: (object: T, old: T) => ErrorList;
}

type Revalidated<T extends KubernetesObject> = Pick<
  Strategy<T>,
  'validateName' | 'validate' | 'validateUpdate' | 'validatesMetadataUpdate'
>;

/**
 * The rules of a kind whose updates are first validated like new objects, metadata included, and only then compared
 * with the old object: upstream lists the errors in that order.
 */
export function revalidated<T extends KubernetesObject>(rules: Rules<T>): Revalidated<T> {
  const { validateName = nameIsDnsSubdomain, validate, validateChange } = rules;
  const path = Path.of('metadata');
  return {
    validateName,
    validate: (object, context) => validate(object, undefined, context),
    validatesMetadataUpdate: true,
    validateUpdate: (object, old, context) => [
      ...validateObjectMeta(object.metadata ?? {}, context.namespace !== undefined, validateName, path),
      ...validate(object, old, context),
      ...validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, path),
      ...(validateChange?.(object, old) ?? []),
    ],
  };
}
