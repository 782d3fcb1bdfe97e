import { GroupVersion } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { deprecationWarning } from './deprecations.ts';

it.each<[groupVersion: string, kind: string, warning: string | undefined]>([
  ['v1', 'Pod', undefined],
  ['v1', 'ComponentStatus', 'v1 ComponentStatus is deprecated in v1.19+'],
  ['v1', 'Endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  [
    'networking.k8s.io/v1beta1',
    'IPAddress',
    'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+',
  ],
  [
    'storage.k8s.io/v1beta1',
    'VolumeAttributesClass',
    'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass',
  ],
])('says of %s %s what upstream says', (groupVersion, kind, warning) => {
  expect(deprecationWarning(GroupVersion.parse(groupVersion).withKind(kind))).toBe(warning);
});
