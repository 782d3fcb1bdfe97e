import type { LabelSelector } from '@coxswain/apimachinery/meta';

/** Formats a selector as upstream's messages do. */
export function labelSelectorText(selector: LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
  );
}
