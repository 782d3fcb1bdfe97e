import { type ErrorList, forbidden, invalid, notFound, type Path, required } from '@coxswain/apimachinery';
import type { Volume, VolumeDevice, VolumeMount } from '../../../../generated/core/v1.ts';
import { unlessSupported } from '../../checks.ts';
import { validateLocalDescendingPath, validatePathNoBacksteps } from '../../volume/path-rules.ts';
import type { AnyContainer } from '../containers.ts';

type Volumes = ReadonlyMap<string, Volume>;

const propagationModes = ['Bidirectional', 'HostToContainer', 'None'];

function validateMountPropagation(
  mode: string,
  { securityContext }: AnyContainer,
  path: Path,
  errors: ErrorList,
): void {
  unlessSupported(path, mode, propagationModes, errors);
  if (mode === 'Bidirectional' && !securityContext?.privileged)
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
}

function validateRecursiveReadOnly(
  { recursiveReadOnly, readOnly, mountPropagation }: VolumeMount,
  path: Path,
  errors: ErrorList,
): void {
  switch (recursiveReadOnly) {
    case undefined:
    case 'Disabled':
      break;
    case 'Enabled':
    case 'IfPossible':
      if (!readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
      if (mountPropagation !== undefined && mountPropagation !== 'None')
        errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
      break;
    default:
      unlessSupported(path, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible'], errors);
  }
}

export function validateVolumeMounts(container: AnyContainer, volumes: Volumes, path: Path, errors: ErrorList): void {
  const { volumeMounts, volumeDevices } = container;
  if (!volumeMounts) return;
  const mountPoints = new Set<string>();
  const devices = volumeDevices && placesOf(volumeDevices, ({ devicePath }) => devicePath);
  volumeMounts.forEach((mount, i) => {
    const { name, mountPath } = mount;
    if (!name) errors.push(required(path.index(i).child('name')));
    if (!volumes.has(name)) errors.push(notFound(path.index(i).child('name'), name));
    if (!mountPath) errors.push(required(path.index(i).child('mountPath')));
    if (mountPoints.has(mountPath)) errors.push(invalid(path.index(i).child('mountPath'), mountPath, 'must be unique'));
    mountPoints.add(mountPath);
    if (devices) validateMountBesideDevices(mount, devices, path.index(i), errors);
    validateMountOptions(mount, container, path, i, errors);
  });
}

function validateMountBesideDevices(
  { name, mountPath }: VolumeMount,
  devices: Places,
  path: Path,
  errors: ErrorList,
): void {
  if (devices.names.has(name))
    errors.push(invalid(path.child('name'), name, 'must not already exist in volumeDevices'));
  if (devices.paths.has(mountPath))
    errors.push(invalid(path.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
}

/** Validates the options of a mount. Upstream's error paths for these fields lack the index of the mount. */
function validateMountOptions(
  mount: VolumeMount,
  container: AnyContainer,
  path: Path,
  index: number,
  errors: ErrorList,
): void {
  const { subPath, subPathExpr, mountPropagation, recursiveReadOnly } = mount;
  if (subPath) validateLocalDescendingPath(subPath, path.child('subPath'), errors);
  if (subPathExpr) {
    if (subPath) {
      const detail = 'subPathExpr and subPath are mutually exclusive';
      errors.push(invalid(path.index(index).child('subPathExpr'), subPathExpr, detail));
    }
    validateLocalDescendingPath(subPathExpr, path.child('subPathExpr'), errors);
  }
  if (mountPropagation !== undefined)
    validateMountPropagation(mountPropagation, container, path.child('mountPropagation'), errors);
  if (recursiveReadOnly !== undefined) validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors);
}

/** The names and paths of a container's mounts or devices. */
interface Places {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/** Collects names and paths. Of several items with the same name, only the last one's path counts, as upstream. */
function placesOf<T extends VolumeDevice | VolumeMount>(items: readonly T[], pathOf: (item: T) => string): Places {
  const pathByName = new Map(items.map((item) => [item.name, pathOf(item)]));
  return { names: new Set(pathByName.keys()), paths: new Set(pathByName.values()) };
}

export function validateVolumeDevices(container: AnyContainer, volumes: Volumes, path: Path, errors: ErrorList): void {
  if (!container.volumeDevices) return;
  const mounts = placesOf(container.volumeMounts ?? [], ({ mountPath }) => mountPath);
  const paths = new Set<string>();
  const names = new Set<string>();
  container.volumeDevices.forEach(({ name, devicePath }, i) => {
    const at = path.index(i);
    const namePath = at.child('name');
    const devicePathPath = at.child('devicePath');
    const volume = volumes.get(name);
    if (!name) errors.push(required(namePath));
    if (names.has(name)) errors.push(invalid(namePath, name, 'must be unique'));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(namePath, name, detail));
    }
    if (!volume) errors.push(notFound(namePath, name));
    if (!devicePath) errors.push(required(devicePathPath));
    if (paths.has(devicePath)) errors.push(invalid(devicePathPath, devicePath, 'must be unique'));
    if (devicePath && validatePathNoBacksteps(devicePath, path).length > 0)
      errors.push(invalid(devicePathPath, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.names.has(name)) errors.push(invalid(namePath, name, 'must not already exist in volumeMounts'));
    if (mounts.paths.has(devicePath))
      errors.push(invalid(devicePathPath, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name) names.add(name);
  });
}
