import type { GroupVersionKind } from '@coxswain/apimachinery';

/** `apiVersion kind` → release of the deprecation, release of the removal where known, replacement where there is one. */
const deprecations: Readonly<Record<string, readonly [since: string, until?: string, replacement?: string]>> = {
  'v1 ComponentStatus': ['1.19'],
  'v1 Endpoints': ['1.33', undefined, 'discovery.k8s.io/v1 EndpointSlice'],
  'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy': ['1.35', '1.38'],
  'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding': ['1.35', '1.38'],
  'certificates.k8s.io/v1alpha1 ClusterTrustBundle': ['1.34', '1.37'],
  'coordination.k8s.io/v1alpha2 LeaseCandidate': ['1.35', '1.38'],
  'coordination.k8s.io/v1beta1 LeaseCandidate': ['1.36', '1.39'],
  'networking.k8s.io/v1beta1 IPAddress': ['1.34', '1.37'],
  'networking.k8s.io/v1beta1 ServiceCIDR': ['1.34', '1.37'],
  'resource.k8s.io/v1alpha3 DeviceTaintRule': ['1.36', '1.39'],
  'resource.k8s.io/v1beta1 DeviceClass': ['1.35', '1.38'],
  'resource.k8s.io/v1beta1 ResourceClaim': ['1.35', '1.38'],
  'resource.k8s.io/v1beta1 ResourceClaimTemplate': ['1.35', '1.38'],
  'resource.k8s.io/v1beta1 ResourceSlice': ['1.35', '1.38'],
  'resource.k8s.io/v1beta2 DeviceClass': ['1.36', '1.39'],
  'resource.k8s.io/v1beta2 ResourceClaim': ['1.36', '1.39'],
  'resource.k8s.io/v1beta2 ResourceClaimTemplate': ['1.36', '1.39'],
  'resource.k8s.io/v1beta2 ResourceSlice': ['1.36', '1.39'],
  'storage.k8s.io/v1beta1 VolumeAttributesClass': ['1.34', '1.37', 'storage.k8s.io/v1 VolumeAttributesClass'],
};

/** Returns upstream's warning for requests that use a deprecated version of the kind; undefined when it is not deprecated. */
export function deprecationWarning({ apiVersion, kind }: GroupVersionKind): string | undefined {
  const name = `${apiVersion} ${kind}`;
  const found = Object.hasOwn(deprecations, name) ? deprecations[name] : undefined;
  if (!found) return undefined;
  const [since, until, replacement] = found;
  const unavailable = until ? `, unavailable in v${until}+` : '';
  return `${name} is deprecated in v${since}+${unavailable}${replacement ? `; use ${replacement}` : ''}`;
}
