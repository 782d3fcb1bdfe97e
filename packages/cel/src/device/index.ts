/** Selectors of devices: what DeviceClasses and ResourceClaims ask of a device in CEL. */
export { DeviceSelector, type SelectableDevice } from './device-selector.ts';
export { DeviceSelectors } from './device-selectors.ts';
