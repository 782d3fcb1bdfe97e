/** Throws unless a path is absolute and stays below the root of the hierarchy. */
export function checkCgroupPath(path: string): void {
  if (!path.startsWith('/') || path.includes('\0') || path.split('/').some((part) => part === '..')) {
    throw new Error(`invalid cgroup path ${path}`);
  }
}
