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

/** A compiled webhook of a configuration. */
export interface CompiledWebhook {
  /** The names of its configuration and of itself, and a number for repeated names. */
  readonly uid: string;
  readonly configuration: string;
  readonly webhook: ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;
  readonly rules: readonly RuleMatcher[];
  /** Whether rules also match equivalent resources. */
  readonly equivalent: boolean;
  /** Whether failed calls are ignored. */
  readonly failsOpen: boolean;
  readonly namespaceSelector: labels.Selector;
  readonly objectSelector: labels.Selector;
  /** Absent without match conditions. */
  readonly matchConditions?: EvaluateMatchConditions;
}

/** Compiles the webhooks of a configuration, in its order. */
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
      // Defaulting sets absent selectors to empty ones, which match everything.
      namespaceSelector: labels.labelSelectorAsSelector(webhook.namespaceSelector ?? {}),
      objectSelector: labels.labelSelectorAsSelector(webhook.objectSelector ?? {}),
      ...(conditions.length > 0 && { matchConditions: compileConditions(conditions) }),
    };
  });
}
