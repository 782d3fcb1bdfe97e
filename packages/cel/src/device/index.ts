/** Device selectors: the CEL expressions of DeviceClasses and ResourceClaims. */
export { DeviceSelector, type SelectableDevice } from './device-selector.ts';
export { DeviceSelectors } from './device-selectors.ts';
