import type { LabelSelector } from '@coxswain/apimachinery';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../generated/admissionregistration/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

export const webhookTable: TablePrinter<MutatingWebhookConfiguration | ValidatingWebhookConfiguration> = {
  columns: columns('Name', 'Webhooks:integer', 'Age'),
  row: ({ metadata, webhooks }, context) => [
    metadata.name ?? '',
    webhooks?.length ?? 0,
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

const paramKindText = (kind: ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';

export const validatingPolicyTable: TablePrinter<ValidatingAdmissionPolicy> = {
  columns: columns('Name', 'Validations:integer', 'ParamKind', 'Age'),
  row: ({ metadata, spec }, context) => [
    metadata.name ?? '',
    spec?.validations?.length ?? 0,
    paramKindText(spec?.paramKind),
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

export const mutatingPolicyTable: TablePrinter<MutatingAdmissionPolicy> = {
  columns: columns('Name', 'Mutations:integer', 'ParamKind', 'Age'),
  row: ({ metadata, spec }, context) => [
    metadata.name ?? '',
    spec?.mutations?.length ?? 0,
    paramKindText(spec?.paramKind),
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

export const bindingTable: TablePrinter<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding> = {
  columns: columns('Name', 'PolicyName', 'ParamRef', 'Age'),
  row: ({ metadata, spec }, context) => [
    metadata.name ?? '',
    spec?.policyName ?? '',
    paramRefText(spec?.paramRef),
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};

function paramRefText(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? goSelector(reference.selector) : '<unset>';
}

/** Formats a selector like Go's generated String method. */
function goSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.keys(matchLabels ?? {})
    .sort()
    .map((key) => `${key}: ${matchLabels?.[key]},`);
  const expressions = (matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  const requirements = `[]LabelSelectorRequirement{${expressions.join('')}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:${requirements},}`;
}
