import {
  type ErrorList,
  invalid,
  isDns1123SubdomainBytes,
  maskTrailingDash,
  Path,
  semanticEqual,
} from '@coxswain/apimachinery';
import { isExtendedResourceName } from '../../core/v1/resources/resource-name.ts';
import type { DeviceClass } from '../../generated/resource/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { validateSlice } from './collections.ts';
import { maxConfigs, validateConfiguration, validateSelectors } from './configuration.ts';
import { nameAndAge } from './name-and-age.ts';

const path = Path.of('spec');

function validate({ spec }: DeviceClass, old?: DeviceClass): ErrorList {
  const isStored = old !== undefined && semanticEqual(spec.config, old.spec.config);
  const errors = [
    ...validateSelectors(spec.selectors, path.child('selectors')),
    ...validateSlice(
      spec.config,
      maxConfigs,
      (config, configPath) => validateConfiguration(config, configPath, isStored),
      path.child('config'),
    ),
  ];
  const name = spec.extendedResourceName;
  if (name !== undefined && !isExtendedResourceName(name)) {
    errors.push(invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name'));
  }
  return errors;
}

export const deviceClassStrategy: Strategy<DeviceClass> = {
  // A DNS subdomain, with a message that counts bytes.
  validateName: (name, prefix) => isDns1123SubdomainBytes(prefix ? maskTrailingDash(name) : name),
  generation: ['spec'],
  prepareForCreate: (deviceClass, { features }) => {
    if (!features.enabled('DRAExtendedResource')) dropExtendedResource(deviceClass);
  },
  prepareForUpdate: (deviceClass, old, { features }) => {
    const isUsed = old.spec.extendedResourceName !== undefined;
    if (!features.enabled('DRAExtendedResource') && !isUsed) dropExtendedResource(deviceClass);
  },
  validate: (deviceClass) => validate(deviceClass),
  validateUpdate: validate,
  table: nameAndAge,
};

function dropExtendedResource(deviceClass: DeviceClass): void {
  const { extendedResourceName: _, ...spec } = deviceClass.spec;
  deviceClass.spec = spec;
}
