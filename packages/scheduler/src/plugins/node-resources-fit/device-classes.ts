import type { DeviceClass } from '@coxswain/api/resource/v1';
import { deviceClassPrefix } from '../dynamic-resources/device-classes.ts';

/** Whether devices of the class are what pods get that ask for the extended resource. */
export const standsFor = ({ metadata, spec }: DeviceClass, resource: string): boolean =>
  spec.extendedResourceName === resource || resource === `${deviceClassPrefix}${metadata.name}`;

/** Whether there is any such class. */
export const hasDeviceClass = (classes: readonly DeviceClass[], resource: string): boolean =>
  classes.some((deviceClass) => standsFor(deviceClass, resource));
