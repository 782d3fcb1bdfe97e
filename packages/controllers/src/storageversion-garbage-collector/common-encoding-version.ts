import type { ServerStorageVersion, StorageVersion } from '@coxswain/api/apiserverinternal/v1alpha1';
import { timeFromDate } from '@coxswain/apimachinery/time';

const conditionType = 'AllEncodingVersionsEqual';

/**
 * Returns the object with these servers and their common encoding version, if they have one. The condition's lastTransitionTime
 * changes with its status, and also when the common version changes. `now` is in milliseconds.
 */
export function withServers(object: StorageVersion, servers: ServerStorageVersion[], now: number): StorageVersion {
  const { commonEncodingVersion: before, ...status } = object.status ?? {};
  const conditions = status.conditions ?? [];
  const [first, ...others] = servers.map(({ encodingVersion }) => encodingVersion);
  const common = others.every((version) => version === first) ? first : undefined;
  const isSet = common !== undefined;
  const wanted = isSet ? 'True' : 'False';
  const known = conditions.find(({ type }) => type === conditionType);
  const isNew = known?.status !== wanted || (isSet && before !== undefined && before !== common);
  const lastTransitionTime = isNew ? timeFromDate(new Date(now)) : known.lastTransitionTime;
  const { generation } = object.metadata;
  const condition = {
    type: conditionType,
    status: wanted,
    ...(generation && { observedGeneration: generation }),
    ...(lastTransitionTime && { lastTransitionTime }),
    reason: isSet ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: isSet ? 'Common encoding version set' : 'Common encoding version unset',
  };
  return {
    ...object,
    status: {
      ...status,
      storageVersions: servers,
      ...(isSet && { commonEncodingVersion: common }),
      conditions: known ? conditions.map((each) => (each === known ? condition : each)) : [...conditions, condition],
    },
  };
}
