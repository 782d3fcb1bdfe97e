import { GroupResource, ownEntry, Quantity } from '@coxswain/apimachinery';
import type { PersistentVolumeClaim } from '../generated/core/v1.ts';
import type { Amounts } from './amounts.ts';
import { claimClass } from './claim-class.ts';
import { countName, type Evaluator, one, selects } from './evaluator.ts';

const groupResource = GroupResource.of('', 'persistentvolumeclaims');
const claims = 'persistentvolumeclaims';
const storage = 'requests.storage';
/** Part of quota names such as `gold.storageclass.storage.k8s.io/requests.storage`. */
const ofClass = '.storageclass.storage.k8s.io/';

/** Returns the storage request in whole bytes, or the allocated storage if that is more. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = ownEntry(spec?.resources?.requests, 'storage');
  if (asked === undefined) return undefined;
  const request = Quantity.parse(asked).roundUp(0);
  const allocated = Quantity.parse(ownEntry(status?.allocatedResources, 'storage') ?? '0');
  return allocated.cmp(request) > 0 ? allocated.roundUp(0) : request;
}

/** Returns the volume attributes classes that the volume has or is to get. */
const attributesClasses = ({ spec, status }: PersistentVolumeClaim): string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].flatMap((name) => name || []);

/** The evaluator of claims, which use storage in total and per class, and are counted. */
export const volumeClaimEvaluator: Evaluator = {
  groupResource,
  // Updates of status can change the allocated storage.
  handles: ({ operation, subresource }) =>
    subresource === 'status' || (subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')),
  measures: (name) =>
    [countName(groupResource), claims, storage].includes(name) ||
    [claims, storage].some((suffix) => name.endsWith(`${ofClass}${suffix}`)),
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const used: Amounts = new Map([
      [claims, one],
      [countName(groupResource), one],
    ]);
    const amount = storageOf(claim);
    if (amount) used.set(storage, amount);
    const className = claimClass(claim);
    if (!className) return used;
    used.set(`${className}${ofClass}${claims}`, one);
    return amount ? used.set(`${className}${ofClass}${storage}`, amount) : used;
  },
  isInScope: (scope, object) =>
    scope.scopeName === 'VolumeAttributesClass' && selects(scope, attributesClasses(object as PersistentVolumeClaim)),
};
