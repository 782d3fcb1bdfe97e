import type {
  MatchCondition,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@coxswain/api/admissionregistration/v1';
import { labels } from '@coxswain/apimachinery';
import type { CompileMatchConditions, EvaluateMatchConditions } from '../expressions/match-conditions.ts';
import { compileRule, type RuleMatcher } from './rule-matcher.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A webhook of a configuration, read once. */
export interface CompiledWebhook {
  /** Its configuration's name, its own, and a number for those that have the same. */
  readonly uid: string;
  readonly configuration: string;
  readonly webhook: ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;
  readonly rules: readonly RuleMatcher[];
  /** Whether a rule for another version of a resource is one for this too. */
  readonly equivalent: boolean;
  /** Failures to call it do not matter. */
  readonly failsOpen: boolean;
  readonly namespaceSelector: labels.Selector;
  readonly objectSelector: labels.Selector;
  /** Absent: there are none. */
  readonly matchConditions?: EvaluateMatchConditions;
}

/** The webhooks of a configuration, in its order. */
export function compileConfiguration(
  { metadata, webhooks = [] }: WebhookConfiguration,
  compileConditions: CompileMatchConditions,
): CompiledWebhook[] {
  const configuration = metadata.name ?? '';
  const seen = new Map<string, number>();
  return webhooks.map((webhook) => {
    const { name, rules = [], matchPolicy, failurePolicy, matchConditions = [] } = webhook;
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    const conditions: readonly MatchCondition[] = matchConditions;
    return {
      uid: `${configuration}/${name}/${number}`,
      configuration,
      webhook,
      rules: rules.map(compileRule),
      equivalent: matchPolicy === 'Equivalent',
      failsOpen: failurePolicy === 'Ignore',
      // Absent would select nothing; the defaults of the kind say that everything is meant.
      namespaceSelector: labels.labelSelectorAsSelector(webhook.namespaceSelector ?? {}),
      objectSelector: labels.labelSelectorAsSelector(webhook.objectSelector ?? {}),
      ...(conditions.length > 0 && { matchConditions: compileConditions(conditions) }),
    };
  });
}
