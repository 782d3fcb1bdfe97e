import { type ErrorList, invalid, ownEntry, Path, required, setOwnEntry } from '@coxswain/apimachinery';
import { printableSelector, selectorOf } from '../../apps/v1/selector.ts';
import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { sortedEntries } from '../../core/v1/pod/index.ts';
import type { Job } from '../../generated/batch/v1.ts';

/** Labels of a Job's pods. Those without a prefix are legacy. */
export const jobLabels = {
  legacyControllerUid: 'controller-uid',
  legacyJobName: 'job-name',
  controllerUid: 'batch.kubernetes.io/controller-uid',
  jobName: 'batch.kubernetes.io/job-name',
} as const;

const labelsPath = Path.of('spec', 'template', 'metadata', 'labels');

/**
 * Adds the Job's name and uid to the labels of its pod template, unless they are set, and makes the Job select its uid.
 * A Job that took over its labels from the template by default gets these labels too: upstream shares the map.
 */
export function generateSelector({ metadata, spec }: WithSpec<Job>): void {
  const { name = '', uid = '' } = metadata;
  const template = { ...spec.template.metadata };
  const isShared = template.labels !== undefined && metadata.labels === template.labels;
  const labels = { ...template.labels };
  const generated = [
    [jobLabels.legacyJobName, name],
    [jobLabels.jobName, name],
    [jobLabels.legacyControllerUid, uid],
    [jobLabels.controllerUid, uid],
  ] as const;
  for (const [key, value] of generated) if (!Object.hasOwn(labels, key)) setOwnEntry(labels, key, value);
  spec.template = { ...spec.template, metadata: { ...template, labels } };
  if (isShared) metadata.labels = { ...labels };
  const matchLabels = { ...spec.selector?.matchLabels };
  if (!Object.hasOwn(matchLabels, jobLabels.controllerUid)) setOwnEntry(matchLabels, jobLabels.controllerUid, uid);
  spec.selector = { ...spec.selector, matchLabels };
}

/** Validates the generated labels and selector, unless `manualSelector` is set. */
export function validateGeneratedSelector(
  { metadata, spec }: WithSpec<Job>,
  requirePrefixedLabels: boolean,
): ErrorList {
  if (spec.manualSelector || !spec.selector) return [];
  const { name = '', uid = '' } = metadata;
  const labels = spec.template.metadata?.labels;
  const expected: [key: string, value: string][] = [
    [jobLabels.legacyControllerUid, uid],
    [jobLabels.legacyJobName, name],
  ];
  if (requirePrefixedLabels) expected.push([jobLabels.controllerUid, uid], [jobLabels.jobName, name]);
  const errors: ErrorList = uid === '' ? [required(Path.of('metadata', 'uid'))] : [];
  for (const [key, value] of expected) {
    const actual = ownEntry(labels, key);
    if (actual === value) continue;
    const detail = `must be '${value}'`;
    const at = labelsPath.key(key);
    if (actual === undefined) errors.push(required(at, detail));
    else errors.push(invalid(at, Object.fromEntries(sortedEntries(labels)), detail));
  }
  if (selectorOf(spec.selector)?.matches(Object.fromEntries(expected)) === false) {
    const selector = printableSelector(spec.selector);
    errors.push(invalid(Path.of('spec', 'selector'), selector, '`selector` not auto-generated'));
  }
  return errors;
}
