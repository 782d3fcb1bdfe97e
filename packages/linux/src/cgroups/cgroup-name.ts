/**
 * Name of a cgroup before the driver gives it its form on the host, such as `['kubepods', 'burstable', 'pod1234-abcd']`. Empty for the
 * root.
 */
export type CgroupName = readonly string[];

/** How cgroups are named on the host, and who makes them. */
export type CgroupDriver = 'cgroupfs' | 'systemd';

const suffix = '.slice';

/**
 * Appends components to a name. Throws if a component is empty, is a path, or has `_`, which stands for `-` in names of systemd.
 */
export function newCgroupName(base: CgroupName, ...components: readonly string[]): CgroupName {
  for (const component of components) {
    if (!/^[^/_\0]+$/.test(component) || component === '.' || component === '..') {
      throw new Error(`invalid character in component ["${component}"] of CgroupName`);
    }
  }
  return [...base, ...components];
}

/** Returns the absolute path below the root of a cgroup hierarchy. */
export function pathOfCgroup(name: CgroupName, driver: CgroupDriver): string {
  newCgroupName([], ...name);
  return driver === 'systemd' ? sliceOf(name).path : `/${name.join('/')}`;
}

/** Returns the name of the cgroup at a path. */
export function nameOfCgroup(path: string, driver: CgroupDriver): CgroupName {
  const components = path.split('/').filter((component) => component !== '');
  if (driver === 'cgroupfs') return components;
  const slice = components.at(-1)?.replace(/\.slice$/, '');
  return slice === undefined || slice === '-' ? [] : slice.split('-').map((part) => part.replaceAll('_', '-'));
}

export interface Slice {
  /** Name of systemd's unit; `-.slice` for the root. */
  readonly unit: string;
  readonly parent: string;
  readonly path: string;
}

/** The slice of a cgroup. A slice named `a-b.slice` is inside `a.slice`, so `-` within a component becomes `_`. */
export function sliceOf(name: CgroupName): Slice {
  let unit = `-${suffix}`;
  let parent = unit;
  let path = '';
  let prefix = '';
  for (const component of name) {
    prefix += (prefix === '' ? '' : '-') + component.replaceAll('-', '_');
    parent = unit;
    unit = prefix + suffix;
    path += `/${unit}`;
  }
  return { unit, parent, path: path === '' ? '/' : path };
}
