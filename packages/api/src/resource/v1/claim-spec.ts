import { type ErrorList, invalid, notSupported, type Path, required } from '@coxswain/apimachinery';
import type { FeatureGates } from '../../features/feature-gates.ts';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../generated/resource/v1.ts';
import { validateSet, validateSlice } from './collections.ts';
import { maxConfigs, validateConfiguration, validateSelectors } from './configuration.ts';
import { validateFullyQualifiedName, validateLabel, validateSubdomain } from './names.ts';
import { validateDeviceToleration } from './taints.ts';

const maxRequests = 32;
const maxConstraints = 32;
const maxSubRequests = 8;

/** Names by which other parts of a claim refer to its requests: `request`, `request/subrequest`. */
export type RequestNames = ReadonlySet<string>;

export function requestNamesOf(claim: DeviceClaim | undefined): RequestNames {
  return new Set(
    (claim?.requests ?? []).flatMap(({ name, firstAvailable }) => [
      name,
      ...(firstAvailable ?? []).map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
}

export function validateClaimSpec({ devices }: ResourceClaimSpec, features: FeatureGates, path: Path): ErrorList {
  const names = requestNamesOf(devices);
  const devicesPath = path.child('devices');
  return [
    ...validateSet(devices?.requests, maxRequests, validateRequest, ({ name }) => name, devicesPath.child('requests')),
    ...validateSlice(
      devices?.constraints,
      maxConstraints,
      (constraint, constraintPath) => validateConstraint(constraint, names, features, constraintPath),
      devicesPath.child('constraints'),
    ),
    ...validateSlice(
      devices?.config,
      maxConfigs,
      (config, configPath) => [
        ...validateRequestReferences(config.requests, names, configPath.child('requests')),
        ...validateConfiguration(config, configPath),
      ],
      devicesPath.child('config'),
    ),
  ];
}

function validateRequest(request: DeviceRequest, path: Path): ErrorList {
  const errors = validateLabel(request.name, path.child('name'));
  const { exactly, firstAvailable = [] } = request;
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly && firstAvailable.length > 0) {
    errors.push(invalid(path, undefined, `${one}, but multiple fields are set`));
  } else if (exactly) errors.push(...validateExactRequest(exactly, path.child('exactly')));
  else if (firstAvailable.length === 0) errors.push(required(path, one));
  else {
    const validate = (alternative: DeviceSubRequest, alternativePath: Path) => [
      ...validateLabel(alternative.name, alternativePath.child('name')),
      ...validateExactRequest(alternative, alternativePath),
    ];
    errors.push(
      ...validateSet(firstAvailable, maxSubRequests, validate, ({ name }) => name, path.child('firstAvailable')),
    );
  }
  return errors;
}

function validateExactRequest(request: ExactDeviceRequest | DeviceSubRequest, path: Path): ErrorList {
  const { deviceClassName, selectors, tolerations = [] } = request;
  const classPath = path.child('deviceClassName');
  return [
    ...(deviceClassName ? validateSubdomain(deviceClassName, classPath) : [required(classPath)]),
    ...validateSelectors(selectors, path.child('selectors')),
    ...validateAllocationMode(request, path),
    ...tolerations.flatMap((toleration, i) => validateDeviceToleration(toleration, path.child('tolerations').index(i))),
  ];
}

function validateAllocationMode({ allocationMode: mode, count = 0 }: ExactDeviceRequest, path: Path): ErrorList {
  if (mode === 'All') {
    return count === 0
      ? []
      : [invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'")];
  }
  if (mode === 'ExactCount') {
    return count > 0 ? [] : [invalid(path.child('count'), count, 'must be greater than zero')];
  }
  return [notSupported(path.child('allocationMode'), mode ?? '', ['All', 'ExactCount'])];
}

function validateConstraint(
  constraint: DeviceConstraint,
  names: RequestNames,
  features: FeatureGates,
  path: Path,
): ErrorList {
  const errors = validateRequestReferences(constraint.requests, names, path.child('requests'));
  const { matchAttribute, distinctAttribute } = constraint;
  if (matchAttribute !== undefined) {
    errors.push(...validateFullyQualifiedName(matchAttribute, path.child('matchAttribute')));
  } else if (distinctAttribute !== undefined) {
    errors.push(...validateFullyQualifiedName(distinctAttribute, path.child('distinctAttribute')));
  } else if (features.enabled('DRAConsumableCapacity')) {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    errors.push(required(path, detail));
  } else errors.push(required(path.child('matchAttribute')));
  return errors;
}

/** Validates the references of a constraint or configuration to requests. */
export function validateRequestReferences(
  references: readonly string[] | undefined,
  names: RequestNames,
  path: Path,
): ErrorList {
  const validate = (reference: string, referencePath: Path) =>
    validateRequestReference(reference, names, referencePath);
  return validateSet(references, maxRequests, validate, (reference) => reference, path);
}

export function validateRequestReference(reference: string, names: RequestNames, path: Path): ErrorList {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = reference.split('/');
  if (segments.length > 2) return [invalid(path, reference, detail)];
  return [
    ...segments.flatMap((segment) => validateLabel(segment, path)),
    ...(names.has(reference) ? [] : [invalid(path, reference, detail)]),
  ];
}
