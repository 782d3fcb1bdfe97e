import { readFile } from 'node:fs/promises';

/** A mount, as a line of `/proc/self/mountinfo` describes it. */
export interface MountEntry {
  readonly id: number;
  readonly parentId: number;
  /** Major and minor number, such as `8:1`. */
  readonly device: string;
  /** The directory or file of the file system that is mounted: `/`, except for bind mounts. */
  readonly root: string;
  readonly mountPoint: string;
  /** Options of the mount, such as `ro`. */
  readonly options: readonly string[];
  /** Propagation, such as `shared:7` or `master:3`. */
  readonly propagation: readonly string[];
  readonly type: string;
  readonly source: string;
  /** Options of the file system. */
  readonly superOptions: readonly string[];
}

/** Parses `/proc/self/mountinfo`; lines that have another form are left out. Characters that the kernel wrote as `\040` are decoded. */
export function parseMountInfo(text: string): MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const separator = fields.indexOf('-', 6);
    const [id, parentId, device, root, mountPoint, options] = fields;
    const [type, source, superOptions] = fields.slice(separator + 1);
    if (separator < 0 || !device || !root || !mountPoint || !options || !type || source === undefined) return [];
    return [
      {
        id: Number(id),
        parentId: Number(parentId),
        device,
        root: decode(root),
        mountPoint: decode(mountPoint),
        options: options.split(','),
        propagation: fields.slice(6, separator),
        type: decode(type),
        source: decode(source),
        superOptions: (superOptions ?? '').split(','),
      },
    ];
  });
}

/** Returns the mount points of `/proc/self/mountinfo` alone, which costs much less than `parseMountInfo`. */
export function parseMountPoints(text: string): string[] {
  const mountPoints: string[] = [];
  for (let line = 0, next = 0; line < text.length; line = next) {
    const end = text.indexOf('\n', line);
    next = end < 0 ? text.length : end + 1;
    // After the id, the parent's id, the device and the root.
    let from = line;
    for (let field = 0; field < 4 && from < next; field++) from = afterSpace(text, from, next);
    const to = afterSpace(text, from, next) - 1;
    if (from < to && to < next) mountPoints.push(decode(text.slice(from, to)));
  }
  return mountPoints;
}

/** Returns the index after the next space; one beyond the end if there is none before it. */
function afterSpace(text: string, from: number, end: number): number {
  const space = text.indexOf(' ', from);
  return space < 0 || space >= end ? end + 1 : space + 1;
}

/** The kernel escapes bytes, each as a backslash and three octal digits. */
function decode(field: string): string {
  if (!field.includes('\\')) return field;
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

const maxReads = 10;

/**
 * Reads all mounts of this process's mount namespace, in the order of mounting. It never touches a mounted file system.
 *
 * Kernels before 5.8 may omit a mount while another one is removed, so the file is read until two readings agree.
 */
export async function readMountInfo(procRoot = '/proc'): Promise<MountEntry[]> {
  return parseMountInfo(await readConsistently(procRoot));
}

/** Reads the mount points alone, like `readMountInfo`. */
export async function readMountPoints(procRoot = '/proc'): Promise<string[]> {
  return parseMountPoints(await readConsistently(procRoot));
}

async function readConsistently(procRoot: string): Promise<string> {
  const path = `${procRoot}/self/mountinfo`;
  let text = await readFile(path, 'utf8');
  if (!(await isConsistent(procRoot))) {
    for (let reads = 1; ; reads++) {
      const again = await readFile(path, 'utf8');
      if (again === text) break;
      if (reads === maxReads) throw new Error(`${path} kept changing while it was read`);
      text = again;
    }
  }
  return text;
}

async function isConsistent(procRoot: string): Promise<boolean> {
  const release = await readFile(`${procRoot}/sys/kernel/osrelease`, 'utf8').catch(() => '');
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 8);
}
