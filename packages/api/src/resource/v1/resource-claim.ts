import {
  type ErrorList,
  forbidden,
  invalid,
  type KubernetesObject,
  nameIsDnsSubdomain,
  Path,
  semanticEqual,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import { validateTemplateObjectMeta } from '../../core/v1/persistent-volume-claim/claim-template.ts';
import type {
  DeviceClaim,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../generated/resource/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateClaimSpec } from './claim-spec.ts';
import { deviceKey, validateClaimStatusUpdate } from './claim-status.ts';
import { dropDisabledClaimFields, dropDisabledStatusFields } from './disabled-fields.ts';
import { internalForm } from './internal-form.ts';
import { nameAndAge } from './name-and-age.ts';

const path = Path.of('spec');
const adminLabel = 'resource.kubernetes.io/admin-access';

/** Validates that admin access is requested only in namespaces with the admin-access label. */
function validateAdminAccess(place: Path | undefined, { namespaceLabels }: StrategyContext): ErrorList {
  if (!place || namespaceLabels?.[adminLabel] === 'true') return [];
  const detail = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
  return [forbidden(place, detail)];
}

/** Applies the rules, in upstream's order: admin access is validated before everything else. */
function validateAsAdmin<T extends KubernetesObject>(
  object: T,
  devices: DeviceClaim | undefined,
  context: StrategyContext,
): ErrorList {
  return [
    ...validateAdminAccess(adminRequest(devices), context),
    ...validateObjectMeta(object.metadata ?? {}, true, nameIsDnsSubdomain, Path.of('metadata')),
  ];
}

function adminRequest(devices: DeviceClaim | undefined): Path | undefined {
  const index = (devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  return index < 0 ? undefined : path.child('devices', 'requests').index(index).child('adminAccess');
}

function adminResult(claim: ResourceClaim): Path | undefined {
  const results: readonly DeviceRequestAllocationResult[] = claim.status?.allocation?.devices?.results ?? [];
  const index = results.findIndex(({ adminAccess }) => adminAccess === true);
  if (index < 0) return undefined;
  return Path.of('status', 'allocation', 'devices', 'results').index(index).child('adminAccess');
}

/** Drops the status of devices that are no longer allocated. */
function dropDeallocatedDevices(claim: ResourceClaim, old: ResourceClaim): void {
  const { status } = claim;
  if (!status?.devices) return;
  const keys = (of: ResourceClaim) => new Set((of.status?.allocation?.devices?.results ?? []).map(deviceKey));
  const before = keys(old);
  const now = keys(claim);
  const devices = status.devices.filter((device) => now.has(deviceKey(device)) || !before.has(deviceKey(device)));
  const { devices: _, ...rest } = status;
  claim.status = devices.length > 0 ? { ...rest, devices } : rest;
}

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (status?.allocation) {
    states.push('allocated');
    if (status.reservedFor?.length) states.push('reserved');
  } else if (!isDeleted) states.push('pending');
  return states.join(',');
}

export const resourceClaimStrategy: Strategy<ResourceClaim> = {
  prepareForCreate: (claim, context) => {
    claim.spec = dropDisabledClaimFields(claim.spec, undefined, context);
  },
  prepareForUpdate: (claim, old, context) => {
    claim.spec = dropDisabledClaimFields(claim.spec, old.spec, context);
  },
  validatesMetadata: true,
  validate: (claim, context) => [
    ...validateAsAdmin(claim, claim.spec.devices, context),
    ...validateClaimSpec(claim.spec, context.features, path),
  ],
  validateUpdate: ({ spec }, old) =>
    semanticEqual(spec, old.spec)
      ? []
      : [invalid(path, internalForm('resource.v1.ResourceClaimSpec', spec), 'field is immutable')],
  subresources: {
    status: {
      owns: ['status'],
      metadata: 'none',
      prepareForUpdate: (claim, old, context) => {
        dropDisabledStatusFields(claim, old, context);
        dropDeallocatedDevices(claim, old);
      },
      validateUpdate: (claim, old, context) => [
        ...(adminResult(old) ? [] : validateAdminAccess(adminResult(claim), context)),
        ...validateClaimStatusUpdate(claim, old),
      ],
    },
  },
  table: {
    columns: columns('Name', 'State', 'Age'),
    row: (claim, context) => [
      claim.metadata.name ?? '',
      claimState(claim),
      translateTimestampSince(claim.metadata.creationTimestamp, context),
    ],
  },
};

function validateTemplate({ spec }: ResourceClaimTemplate, { features }: StrategyContext): ErrorList {
  return [
    ...validateTemplateObjectMeta(spec.metadata ?? {}, path.child('metadata')),
    ...validateClaimSpec(spec.spec, features, path.child('spec')),
  ];
}

function dropFromTemplate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate | undefined,
  context: StrategyContext,
): void {
  const spec = dropDisabledClaimFields(template.spec.spec, old?.spec.spec, context);
  template.spec = { ...template.spec, spec };
}

export const resourceClaimTemplateStrategy: Strategy<ResourceClaimTemplate> = {
  prepareForCreate: (template, context) => dropFromTemplate(template, undefined, context),
  prepareForUpdate: dropFromTemplate,
  validatesMetadata: true,
  validate: (template, context) => [
    ...validateAsAdmin(template, template.spec.spec.devices, context),
    ...validateTemplate(template, context),
  ],
  validateUpdate: (template, old, context) => {
    const errors = validateTemplate(template, context);
    if (semanticEqual(template.spec, old.spec)) return errors;
    const { metadata = {}, spec } = template.spec;
    // Upstream embeds the metadata, so its fields are printed beside the spec.
    const shown = { ...metadata, Spec: internalForm('resource.v1.ResourceClaimSpec', spec) };
    return [...errors, invalid(path, shown, 'field is immutable')];
  },
  table: nameAndAge,
};
