import {
  type Catalogue,
  type FeatureGates,
  type FeatureName,
  type GroupVersionResources,
  type Resource,
  stabilityOf,
} from '@coxswain/api';
import { GroupVersion } from '@coxswain/apimachinery';

/** Resources that are served only with a feature gate, even when `--runtime-config` enables their version. */
const gated: Readonly<Record<string, FeatureName>> = {
  'certificates.k8s.io/v1alpha1/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/v1alpha2/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/v1alpha2/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/v1beta1/storageversionmigrations': 'StorageVersionMigrator',
};

/** Keys that enable or disable many versions at once. They are applied in this order. */
const wholesale: readonly (readonly [key: string, matches: (version: string) => boolean])[] = [
  ['api/all', () => true],
  ['api/ga', (version) => stabilityOf(version) === 'stable'],
  ['api/beta', (version) => stabilityOf(version) === 'beta'],
  ['api/alpha', (version) => stabilityOf(version) === 'alpha'],
];

/** Former names of the core group's version (upstream's legacy keys). A resource after them is ignored. */
const formerCoreKey = /^(?:api\/)?v1(?:\/|$)/;

const wholesaleKeys = new Set(wholesale.map(([key]) => key));

/** Go's strconv.ParseBool; an empty value means true. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['', '1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

interface Switch {
  readonly groupVersion: GroupVersion;
  /** Empty when the switch is for the whole version. */
  readonly resource: string;
  readonly on: boolean;
}

/**
 * Returns the resources of the catalogue that the server serves: by default the stable versions, changed by
 * `--runtime-config` and feature gates. Group versions without any served resource are omitted. Throws upstream's
 * error messages for an invalid configuration.
 */
export function servedResources(
  catalogue: Catalogue,
  runtimeConfig: ReadonlyMap<string, string>,
  features: FeatureGates,
): GroupVersionResources[] {
  if (runtimeConfig.get('api/all') === 'false' && runtimeConfig.size === 1) {
    throw new Error('invalid runtime-config with only api/all=false');
  }
  const versions = versionsByWholesaleKeys(catalogue, runtimeConfig);
  const switches = readSwitches(catalogue, runtimeConfig);
  const resources = new Map<string, boolean>();
  for (const { groupVersion, resource, on } of switches) {
    if (resource === '') versions.set(groupVersion, on);
    else resources.set(`${groupVersion}/${resource}`, on);
  }
  return catalogue.groupVersions
    .map(({ group, version, resources: all }) => {
      const groupVersion = GroupVersion.of(group, version);
      const isServed = ({ name }: Resource): boolean => {
        const gate = gated[`${groupVersion}/${name}`];
        if (gate && !features.enabled(gate)) return false;
        return resources.get(`${groupVersion}/${name}`) ?? versions.get(groupVersion) ?? false;
      };
      return { group, version, resources: all.filter(isServed) };
    })
    .filter(({ resources: served }) => served.length > 0);
}

function versionsByWholesaleKeys(
  catalogue: Catalogue,
  runtimeConfig: ReadonlyMap<string, string>,
): Map<GroupVersion, boolean> {
  const known = catalogue.groupVersions.map(({ group, version }) => GroupVersion.of(group, version));
  const versions = new Map(known.map((groupVersion) => [groupVersion, catalogue.enabledByDefault(groupVersion)]));
  for (const [key, matches] of wholesale) {
    const value = runtimeConfig.get(key);
    if (value === undefined) continue;
    if (value !== 'true' && value !== 'false') throw new Error(`invalid value ${key}=${value}`);
    for (const groupVersion of known) if (matches(groupVersion.version)) versions.set(groupVersion, value === 'true');
  }
  return versions;
}

function readSwitches(catalogue: Catalogue, runtimeConfig: ReadonlyMap<string, string>): Switch[] {
  const groups = new Set(catalogue.groupVersions.map(({ group }) => group));
  const keys = [...runtimeConfig].filter(([key]) => !wholesaleKeys.has(key));
  const parsed = keys.map(([given, value]) => {
    const key = formerCoreKey.test(given) ? '/v1' : given;
    const parts = key.split('/');
    if (parts.length !== 2 && parts.length !== 3) throw new Error(`runtime-config invalid key ${key}`);
    const [group = '', version = '', resource = ''] = parts;
    return { key, value, groupVersion: GroupVersion.of(group, version), resource };
  });
  const unknown = parsed.filter(({ groupVersion }) => !groups.has(groupVersion.group));
  if (unknown.length > 0) {
    const names = new Set(unknown.map(({ groupVersion }) => groupVersion.toString()));
    throw new Error(`unknown api groups ${[...names].sort().join(',')}`);
  }
  return parsed.map(({ key, value, groupVersion, resource }) => {
    const { group, version } = groupVersion;
    if (!catalogue.groupVersions.some((known) => known.group === group && known.version === version)) {
      throw new Error(`group version ${groupVersion} that has not been registered`);
    }
    const on = truths.get(value);
    if (on === undefined) {
      const why = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
      throw new Error(`invalid value of ${key}: ${value}, err: ${why}`);
    }
    if (resource.toLowerCase() !== resource) {
      const rule = 'group/version/resource and resource is always lowercase plural';
      throw new Error(`invalid key ${key}: ${rule}, not ${JSON.stringify(resource)}`);
    }
    return { groupVersion, resource, on };
  });
}
