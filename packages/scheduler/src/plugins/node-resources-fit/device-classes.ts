import type { DeviceClass } from '@coxswain/api/resource/v1';
import { deviceClassPrefix } from '../dynamic-resources/device-classes.ts';

/** Whether devices of the class provide the extended resource. */
export const standsFor = ({ metadata, spec }: DeviceClass, resource: string): boolean =>
  spec.extendedResourceName === resource || resource === `${deviceClassPrefix}${metadata.name}`;

/** Whether any of the classes provides the extended resource. */
export const hasDeviceClass = (classes: readonly DeviceClass[], resource: string): boolean =>
  classes.some((deviceClass) => standsFor(deviceClass, resource));
