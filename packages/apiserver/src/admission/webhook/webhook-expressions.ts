import { type ErrorList, invalid, jsonEquals, type KubernetesObject, newInvalid, Path } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from '../admission.ts';
import type { WebhookConfiguration } from './compiled-webhook.ts';

const group = 'admissionregistration.k8s.io';

/**
 * Refuses configurations with conditions that could never be evaluated. Upstream has it in the validation of the kinds,
 * where no flag switches it off; so this is no plug-in with a name for one.
 *
 * Differs from upstream: whatever else is wrong with a configuration is told first, and alone.
 */
export const webhookExpressions = (): AdmissionPlugin => ({
  name: '',
  operations: ['CREATE', 'UPDATE'],
  resources: [`mutatingwebhookconfigurations.${group}`, `validatingwebhookconfigurations.${group}`],
  async validate({ object, oldObject, kind, name }) {
    const conditions = conditionsOf(object);
    // What was good enough to be stored may stay.
    if (conditions.every((list) => list.length === 0) || jsonEquals(conditions, conditionsOf(oldObject))) return;
    const { expressionProblem } = await import('./match-condition-expressions.ts');
    const errors: ErrorList = conditions.flatMap((list, webhook) =>
      list.flatMap(({ expression }, index) => {
        const problem = expressionProblem(expression);
        const path = Path.of('webhooks').index(webhook).child('matchConditions').index(index).child('expression');
        return problem === undefined ? [] : [invalid(path, expression, problem)];
      }),
    );
    if (errors.length > 0) throw newInvalid(kind.groupKind, name, errors);
  },
});

const conditionsOf = (object: KubernetesObject | undefined) =>
  ((object as WebhookConfiguration | undefined)?.webhooks ?? []).map(({ matchConditions = [] }) => matchConditions);
