import {
  type ErrorList,
  FieldError,
  invalid,
  isDns1123Label,
  jsonEquals,
  Path,
  required,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import type {
  Container,
  PodTemplate,
  ReplicationController,
  ReplicationControllerSpec,
  ReplicationControllerStatus,
} from '../../../generated/core/v1.ts';
import { formatLabels, translateTimestampSince } from '../../../strategy/print.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { columns } from '../../../strategy/table.ts';
import { inOrder, sortedEntries } from '../checks.ts';
import { emptyPodSpec } from './containers.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { validatePodTemplateSpec, validatePodTemplateSpecForRC } from './pod-template.ts';
import { samePodSpec } from './update/same-pod-spec.ts';
import { type PodValidationOptions, podTemplateValidationOptions } from './validation-options.ts';
import { podTemplateWarnings } from './warnings/warnings.ts';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const templatePath = specPath.child('template');
const podTemplatePath = Path.of('template');

function validateSpec(spec: ReplicationControllerSpec, options: PodValidationOptions): ErrorList {
  const { minReadySeconds, selector, replicas, template } = spec;
  return [
    ...validateNonnegativeField(minReadySeconds, specPath.child('minReadySeconds')),
    ...(Object.keys(selector ?? {}).length === 0 ? [required(specPath.child('selector'))] : []),
    ...(replicas === undefined
      ? [required(specPath.child('replicas'))]
      : validateNonnegativeField(replicas, specPath.child('replicas'))),
    ...validatePodTemplateSpecForRC(template, selector, templatePath, options),
  ];
}

/** Validates annotations of fields that could not be converted: the selector must not change while such an annotation exists. */
function validateNonConvertibleFields(controller: ReplicationController, old: ReplicationController): ErrorList {
  return sortedEntries(old.metadata.annotations).flatMap(([key, value]) => {
    const [, field, ...more] = key.startsWith('non-convertible.kubernetes.io') ? key.split('/') : [];
    if (field === undefined || more.length > 0) return [];
    if (!field.includes('selector'))
      return [new FieldError('FieldValueNotFound', field, value, 'unknown non-convertible field')];
    const { selector } = controller.spec ?? {};
    return jsonEquals(selector, old.spec?.selector)
      ? []
      : [invalid(specPath.child('selector'), inOrder(selector), 'cannot update non-convertible selector')];
  });
}

const counts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;

function validateStatus(status: ReplicationControllerStatus): ErrorList {
  const { replicas, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors = counts.flatMap((name) => validateNonnegativeField(status[name], statusPath.child(name)));
  for (const name of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    const count = status[name] ?? 0;
    if (count > replicas) errors.push(invalid(statusPath.child(name), count, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    const detail = 'cannot be greater than readyReplicas';
    errors.push(invalid(statusPath.child('availableReplicas'), availableReplicas, detail));
  }
  return errors;
}

const namesOf = (containers: readonly Container[] | undefined): string =>
  (containers ?? []).map(({ name }) => name).join(',');
const imagesOf = (containers: readonly Container[] | undefined): string =>
  (containers ?? []).map(({ image }) => image ?? '').join(',');

/** The strategy of replication controllers. */
export const replicationControllerStrategy: Strategy<ReplicationController> = {
  generation: ['spec'],
  prepareForCreate: (controller, { features }) => {
    controller.status = { replicas: 0 };
    dropDisabledTemplateFields(controller.spec?.template, undefined, features);
  },
  prepareForUpdate: (controller, old, { features }) =>
    dropDisabledTemplateFields(controller.spec?.template, old.spec?.template, features),
  validate: ({ spec }, context) => validateSpec(spec ?? {}, podTemplateValidationOptions(context)),
  validateUpdate: (controller, old, context) => [
    ...validateSpec(controller.spec ?? {}, podTemplateValidationOptions(context, old.spec?.template)),
    ...validateNonConvertibleFields(controller, old),
  ],
  warningsOnCreate: ({ metadata, spec }, { features }) => {
    const messages = isDns1123Label(metadata.name ?? '');
    return [
      ...(messages.length > 0
        ? [
            `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`,
          ]
        : []),
      ...podTemplateWarnings(templatePath, spec?.template, features),
    ];
  },
  // Upstream warns about the old template here, not the new one.
  warningsOnUpdate: ({ metadata }, old, { features }) =>
    metadata.generation === old.metadata.generation
      ? []
      : podTemplateWarnings(templatePath, old.spec?.template, features),
  subresources: {
    status: { owns: ['status'], validateUpdate: ({ status }) => validateStatus(status ?? { replicas: 0 }) },
  },
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  table: {
    columns: columns(
      'Name',
      'Desired:integer',
      'Current:integer',
      'Ready:integer',
      'Age',
      'Containers (wide)',
      'Images (wide)',
      'Selector (wide)',
    ),
    row: ({ metadata, spec, status }, context) => [
      metadata.name ?? '',
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      translateTimestampSince(metadata.creationTimestamp, context),
      namesOf(spec?.template?.spec?.containers),
      imagesOf(spec?.template?.spec?.containers),
      formatLabels(spec?.selector),
    ],
  },
};

/** The strategy of pod templates. */
export const podTemplateStrategy: Strategy<PodTemplate> = {
  generation: ({ template = {} }, { template: old = {} }) =>
    !jsonEquals(template.metadata, old.metadata) ||
    !samePodSpec(template.spec ?? emptyPodSpec, old.spec ?? emptyPodSpec),
  prepareForCreate: ({ template }, { features }) => dropDisabledTemplateFields(template, undefined, features),
  prepareForUpdate: ({ template }, old, { features }) => dropDisabledTemplateFields(template, old.template, features),
  validate: ({ template }, context) =>
    validatePodTemplateSpec(template ?? {}, podTemplatePath, podTemplateValidationOptions(context)),
  validateUpdate: ({ template }, old, context) =>
    validatePodTemplateSpec(template ?? {}, podTemplatePath, podTemplateValidationOptions(context, old.template)),
  warningsOnCreate: ({ template }, { features }) => podTemplateWarnings(podTemplatePath, template, features),
  warningsOnUpdate: ({ metadata, template }, old, { features }) =>
    metadata.generation === old.metadata.generation ? [] : podTemplateWarnings(podTemplatePath, template, features),
  table: {
    columns: columns('Name', 'Containers', 'Images', 'Pod Labels'),
    row: ({ metadata, template }) => [
      metadata.name ?? '',
      namesOf(template?.spec?.containers),
      imagesOf(template?.spec?.containers),
      formatLabels(template?.metadata?.labels),
    ],
  },
};
