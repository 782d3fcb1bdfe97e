import {
  completed,
  type ErrorList,
  type KubernetesObject,
  nameIsDnsSubdomain,
  Path,
  pathSegmentName,
  type Steps,
  type ValidateNameFunc,
  validateObjectMeta,
  validateObjectMetaUpdate,
  withErrorLimitInSteps,
} from '@coxswain/apimachinery';
import { validateKubeFinalizers } from './kube-finalizers.ts';
import type { Strategy, StrategyContext } from './strategy.ts';

const metadata = Path.of('metadata');

const nameRule =
  <T extends KubernetesObject>(
    { validateName = nameIsDnsSubdomain }: Strategy<T>,
    context: StrategyContext,
  ): ValidateNameFunc =>
  (name, prefix) =>
    validateName(name, prefix, context);

/** Returns all errors of an object about to be created, in upstream's order: metadata first, then the kind's own rules. */
export const validateCreate = <T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  context: StrategyContext,
): ErrorList => completed(validateCreateInSteps(strategy, object, context));

/** Like `validateCreate`, in steps. */
export const validateCreateInSteps = <T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  context: StrategyContext,
): Steps<ErrorList> => withErrorLimitInSteps(problemsOfNew(strategy, object, context));

function* problemsOfNew<T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  context: StrategyContext,
): Steps<ErrorList> {
  const isNamespaced = context.namespace !== undefined;
  if (strategy.validatesMetadata) {
    const errors = yield* ownProblems(strategy, object, undefined, context);
    return errors.length > 0
      ? errors
      : joined(
          validateObjectMeta(object.metadata ?? {}, isNamespaced, pathSegmentName, metadata),
          finalizerErrors(strategy, object),
        );
  }
  const errors = joined(
    validateObjectMeta(object.metadata ?? {}, isNamespaced, nameRule(strategy, context), metadata),
    finalizerErrors(strategy, object),
  );
  return joined(errors, yield* ownProblems(strategy, object, undefined, context));
}

/** Runs the kind's own rules. */
function* ownProblems<T extends KubernetesObject>(
  { validate, validateUpdate: validateChange, validateInSteps }: Strategy<T>,
  object: T,
  old: T | undefined,
  context: StrategyContext,
): Steps<ErrorList> {
  if (validateInSteps) return yield* validateInSteps(object, old, context);
  return (old ? validateChange?.(object, old, context) : validate?.(object, context)) ?? [];
}

const finalizerErrors = <T extends KubernetesObject>({ allowsAnyFinalizer }: Strategy<T>, object: T): ErrorList =>
  allowsAnyFinalizer ? [] : validateKubeFinalizers(object);

/** Concatenates without `push(...more)`: there can be more errors than a call may have arguments. */
const joined = (errors: ErrorList, more: ErrorList): ErrorList =>
  more.length === 0 ? errors : errors.length === 0 ? more : [...errors, ...more];

/** Returns all errors of an update, of the whole object or of one subresource. */
export const validateUpdate = <T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  old: T,
  context: StrategyContext,
  subresource?: string,
): ErrorList => completed(validateUpdateInSteps(strategy, object, old, context, subresource));

/** Like `validateUpdate`, in steps. */
export const validateUpdateInSteps = <T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  old: T,
  context: StrategyContext,
  subresource?: string,
): Steps<ErrorList> => withErrorLimitInSteps(problemsOfChanged(strategy, object, old, context, subresource));

function* problemsOfChanged<T extends KubernetesObject>(
  strategy: Strategy<T>,
  object: T,
  old: T,
  context: StrategyContext,
  subresource: string | undefined,
): Steps<ErrorList> {
  const part = subresource ? strategy.subresources?.[subresource] : undefined;
  const { validatesMetadataUpdate } = (subresource ? part : strategy) ?? {};
  const meta = object.metadata ?? {};
  const changes = validateObjectMetaUpdate(meta, old.metadata ?? {}, metadata);
  // Upstream validates metadata generically, then once more in each kind's strategy: an error appears among the causes as often.
  const isNamespaced = context.namespace !== undefined;
  const errors = [
    ...validateObjectMeta(meta, isNamespaced, pathSegmentName, metadata),
    ...changes,
    ...(validatesMetadataUpdate ? [] : [...changes, ...finalizerErrors(strategy, object)]),
  ];
  if (strategy.revalidatesMetadata && !subresource) {
    validateObjectMeta(meta, isNamespaced, nameRule(strategy, context), metadata, errors);
    errors.push(...finalizerErrors(strategy, object));
  }
  if (subresource) return joined(errors, part?.validateUpdate?.(object, old, context) ?? []);
  return joined(errors, yield* ownProblems(strategy, object, old, context));
}
