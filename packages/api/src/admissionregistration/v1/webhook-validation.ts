import {
  duplicate,
  type ErrorList,
  invalid,
  isFullyQualifiedName,
  jsonEquals,
  notSupported,
  Path,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type { MutatingWebhook, ValidatingWebhook } from '../../generated/admissionregistration/v1.ts';
import type { ExpressionErrors } from '../../strategy/strategy.ts';
import { validateWebhookClientConfig } from './client-config.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { failurePolicies, matchPolicies, reinvocationPolicies } from './policies.ts';
import { isRecognized, reviewVersions, validateReviewVersions } from './review-versions.ts';
import { validateRuleWithOperations } from './rules.ts';

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

/** Which rules apply. A rule that the stored webhooks break does not apply to an update of them. */
interface Strictness {
  readonly matchConditions: boolean;
  readonly noSideEffects: boolean;
  readonly recognizedReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly selectorValues: boolean;
  /** Errors of the CEL expressions, by field path. */
  readonly expressions?: ExpressionErrors | undefined;
}

const strict: Strictness = {
  matchConditions: true,
  noSideEffects: true,
  recognizedReviewVersion: true,
  uniqueNames: true,
  selectorValues: true,
};
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const noSideEffects = ['None', 'NoneOnDryRun'];

/** Validates the webhooks of a new configuration of either kind. */
export const validateWebhooks = (webhooks: readonly Webhook[] | undefined, expressions?: ExpressionErrors): ErrorList =>
  validateAll(webhooks ?? [], { ...strict, expressions });

/** Validates updated webhooks. Rules that the old webhooks break do not apply. */
export function validateWebhooksUpdate(
  webhooks: readonly Webhook[] = [],
  oldWebhooks: readonly Webhook[] = [],
  expressions?: ExpressionErrors,
): ErrorList {
  const selectorErrors = (webhook: Webhook) => validateSelectors(webhook, { ...strict }, Path.of(''));
  return validateAll(webhooks, {
    matchConditions:
      webhooks.length !== oldWebhooks.length ||
      oldWebhooks.some((old, i) => !jsonEquals(old.matchConditions, webhooks[i]!.matchConditions)),
    noSideEffects: oldWebhooks.every((old) => noSideEffects.includes(old.sideEffects)),
    recognizedReviewVersion: oldWebhooks.every(
      ({ admissionReviewVersions: versions }) => !versions?.length || isRecognized(versions),
    ),
    uniqueNames: new Set(oldWebhooks.map(({ name }) => name)).size === oldWebhooks.length,
    selectorValues: oldWebhooks.every((old) => selectorErrors(old).length === 0),
    expressions,
  });
}

function validateAll(webhooks: readonly Webhook[], strictness: Strictness): ErrorList {
  const errors: ErrorList = [];
  const names = new Set<string>();
  webhooks.forEach((webhook, i) => {
    const path = Path.of('webhooks').index(i);
    errors.push(...validateWebhook(webhook, strictness, path));
    errors.push(
      ...validateReviewVersions(
        webhook.admissionReviewVersions ?? [],
        {
          mustBeRecognized: strictness.recognizedReviewVersion,
          ifMissing: `must specify one of ${reviewVersions.join(', ')}`,
        },
        path.child('admissionReviewVersions'),
      ),
    );
    if (strictness.uniqueNames && webhook.name) {
      if (names.has(webhook.name)) errors.push(duplicate(path.child('name'), webhook.name));
      names.add(webhook.name);
    }
  });
  return errors;
}

function validateWebhook(webhook: Webhook, strictness: Strictness, path: Path): ErrorList {
  const errors = isFullyQualifiedName(path.child('name'), webhook.name ?? '');
  const oneOf = (field: keyof Webhook & string, values: readonly string[]) => {
    const value = webhook[field] ?? undefined;
    if (value !== undefined && !values.includes(value as string)) {
      errors.push(notSupported(path.child(field), value, values));
    }
  };
  webhook.rules?.forEach((rule, i) => {
    errors.push(...validateRuleWithOperations(rule, path.child('rules').index(i)));
  });
  oneOf('failurePolicy', failurePolicies);
  oneOf('matchPolicy', matchPolicies);
  const allowedSideEffects = strictness.noSideEffects ? noSideEffects : sideEffects;
  if ((webhook.sideEffects ?? undefined) === undefined) {
    errors.push(required(path.child('sideEffects'), `must specify one of ${allowedSideEffects.join(', ')}`));
  }
  oneOf('sideEffects', allowedSideEffects);
  const timeout = webhook.timeoutSeconds;
  if (timeout !== undefined && (timeout > 30 || timeout < 1)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    errors.push(invalid(path.child('timeoutSeconds'), timeout, detail));
  }
  errors.push(...validateSelectors(webhook, strictness, path));
  oneOf('reinvocationPolicy', reinvocationPolicies);
  errors.push(...validateWebhookClientConfig(webhook.clientConfig ?? {}, path.child('clientConfig')));
  if (strictness.matchConditions) {
    const conditions = path.child('matchConditions');
    errors.push(...validateMatchConditions(webhook.matchConditions, conditions, strictness.expressions));
  }
  return errors;
}

function validateSelectors(webhook: Webhook, { selectorValues }: Strictness, path: Path): ErrorList {
  const options = { allowInvalidLabelValueInSelector: !selectorValues };
  return [
    ...validateLabelSelector(webhook.namespaceSelector, options, path.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, options, path.child('objectSelector')),
  ];
}
